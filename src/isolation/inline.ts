/**
 * The inline carrier: callbacks run in the main thread and nothing stops them. For unit tests, and the baseline of every bench.
 *
 * It speaks the same protocol through the same stage, so that one suite holds for all tiers. A kill disowns the callback:
 * `context.signal` fires, its answer is dropped, and it goes on running.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { LoadTask, Reply, RunnerTask } from '../contract/messages.js';
import { openStage, type Stage } from '../contract/stage.js';
import type { Carrier, Cell, CellEvents } from './cell.js';

export function createInlineCarrier(): Carrier {
  return { tier: 'inline', start: startCell, close: async () => {} };
}

function startCell(events: CellEvents): Cell {
  let stage: Stage | undefined;
  let run = 0;
  let over = false;

  async function perform(task: RunnerTask): Promise<Reply> {
    if (task.type === 'load') {
      const opened = await openStage(task, (url) => importModule(url, task), {
        send: (message) => over || events.message(message),
        within: (_, fn) => fn(),
        left: () => {},
      });
      stage = opened.stage;
      return opened.reply;
    }
    run = task.run;
    return (stage as Stage).perform(task);
  }

  return {
    threadId: 0,
    run(task, settle) {
      void perform(task).then((reply) => over || settle(reply));
    },
    send: (message) => over || stage?.receive(message),
    active: () => 0,
    kill() {
      if (over) return;
      stage?.receive({ type: 'abort', run, reason: 'killed' });
      over = true;
      events.gone();
    },
    disown: () => {},
  };
}

/** A reloaded module needs a new key in the module cache of this thread. */
async function importModule(url: string, { version }: LoadTask): Promise<unknown> {
  if (url.endsWith('.cjs')) {
    const require = createRequire(url);
    if (version > 0) delete require.cache[fileURLToPath(url)];
    return require(fileURLToPath(url));
  }
  return await import(version === 0 ? url : `${url}?version=${version}`);
}
