/** The same callback in a forked child process: numbered messages in, numbered answers out. */
import work, { type Work } from './threaded.js';

process.on('message', async ({ id, task }: { id: number; task: Work }) => {
  process.send?.({ id, value: await work(task) });
});
