/** A plugin's thread in the host's own process: Piscina hands it the load task, everything else goes over one lasting port. */
import { MessageChannel, parentPort, workerData } from 'node:worker_threads';
import { agreeToClaims, takeClaim } from '../src/contract/claim.js';
import type { CallTask, Reply, RunnerTask, ToRunner } from '../src/contract/messages.js';
import type { PluginThread } from '../src/contract/plugin.js';
import { createPerformer } from './compartment/perform.js';

const { port1: up, port2: port } = new MessageChannel();
parentPort?.postMessage({ port: up }, [up]);

let claim: Int32Array | undefined;
const performer = createPerformer(workerData as PluginThread, (message) => port.postMessage(message));

port.on('message', (message: ToRunner | CallTask) => {
  if (message.type !== 'run') performer.receive(message);
  else if (claim === undefined || takeClaim(claim, message.run)) void answer(message);
});
// The task in hand keeps the thread alive, this port need not.
port.unref();

async function answer(task: CallTask): Promise<void> {
  port.postMessage({ type: 'reply', reply: await performer.perform(task) });
}

export default function perform(task: RunnerTask): Promise<Reply> | Reply {
  if (task.type === 'load' && task.claim !== undefined) {
    claim = task.claim;
    agreeToClaims(claim);
  }
  return performer.perform(task);
}
