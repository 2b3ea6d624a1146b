/** A plugin's thread in the host's own process: Piscina hands it the load task, everything else goes over one lasting port. */
import { workerData } from 'node:worker_threads';
import type { Reply, RunnerTask } from '../src/contract/messages.js';
import type { PluginThread } from '../src/contract/plugin.js';
import { createPluginPerformer } from './compartment/perform.js';
import type { Performer } from './performer.js';
import { openPort } from './port.js';

const { agree, send } = openPort({
  perform: (task) => performer.perform(task),
  receive: (message) => performer.receive(message),
});
const performer: Performer = createPluginPerformer(workerData as PluginThread, send);

export default function perform(task: RunnerTask): Promise<Reply> | Reply {
  if (task.type === 'load') agree(task);
  return performer.perform(task);
}
