/** A plugin's thread in a child process: tasks, replies and everything else go over the thread's own port. */
import { parentPort, workerData } from 'node:worker_threads';
import type { ToThread } from '../src/contract/child.js';
import { agreeToClaims, takeClaim } from '../src/contract/claim.js';
import { packReply, type Reply, type RunnerTask } from '../src/contract/messages.js';
import type { PluginThread } from '../src/contract/plugin.js';
import { createPluginPerformer } from './compartment/perform.js';

const port = parentPort;
const performer = createPluginPerformer(workerData as PluginThread, (data) => port?.postMessage({ type: 'message', data }));

let claim: Int32Array | undefined;

port?.on('message', (message: ToThread) => {
  if (message.type === 'send') performer.receive(message.message);
  else void answer(message.task);
});

async function answer(task: RunnerTask): Promise<void> {
  port?.postMessage({ type: 'reply', reply: packReply(await perform(task)) });
}

/** From its load on a task can be taken back as long as it has not begun. */
function perform(task: RunnerTask): Promise<Reply> | Reply {
  if (task.type === 'load') {
    claim = task.claim;
    if (claim !== undefined) agreeToClaims(claim);
  } else if (claim !== undefined && !takeClaim(claim, task.run)) return { type: 'skipped' };
  return performer.perform(task);
}
