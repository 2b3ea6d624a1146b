/**
 * So many kills in one process: `node --expose-gc cycles.js <cycles>`. Prints, as JSON, threads, ports and workers before and after
 * them and after the close, and the slope of memory over the second half.
 */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { queryObjects } from 'node:v8';
import { MessagePort, Worker } from 'node:worker_threads';
import { fixture, given, task } from '../isolation/given.js';

export interface Inventory {
  readonly threads: number | null;
  readonly ports: number;
  readonly workers: number;
  readonly timers: number;
}

export interface Cycles {
  readonly atFirst: Inventory;
  readonly before: Inventory;
  readonly after: Inventory;
  readonly closed: Inventory;
  /** Bytes a cycle over the second half, after a forced collection in each. */
  readonly heapSlope: number;
}

const count = Number(process.argv[2]);

/** Objects that live in the heap after a collection, and threads as the system counts them (Linux). */
function inventory(): Inventory {
  const options = { format: 'count' } as const;
  return {
    threads: process.platform === 'linux' ? readdirSync('/proc/self/task').length : null,
    ports: queryObjects(MessagePort, options),
    workers: queryObjects(Worker, options),
    timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
  };
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** At rest: what was killed is gone, what replaces it is loaded. */
async function rest(isolation: { stats(): { spares: number; undead: number } }): Promise<void> {
  while (isolation.stats().spares < 2 || isolation.stats().undead > 0) await sleep(5);
  await sleep(300);
}

// Node keeps one port of its own from the first worker on.
await once(new Worker('', { eval: true }), 'exit');
await sleep(50);
// And the four of its file calls are started by the first of them.
await Promise.all(Array.from({ length: 8 }, () => stat('.')));
const atFirst = inventory();
const { isolation } = await given({ handler: fixture('hostile.mjs') });
const loop = task({ message: 'loop' });
const answer = task({ message: 'answer' });

async function cycle(): Promise<void> {
  const run = isolation.run(loop);
  await sleep(2);
  run.kill('timeout');
  await run.outcome;
  const { type } = await isolation.run(answer).outcome;
  if (type !== 'returned') throw new Error(`the next callback was ${type}`);
}

await cycle();
await rest(isolation);
const before = inventory();
const heap: number[] = [];
for (let done = 0; done < count; done++) {
  await cycle();
  if (done < count / 2) continue;
  globalThis.gc?.();
  heap.push(process.memoryUsage().heapUsed);
}
await rest(isolation);
const after = inventory();
await isolation.close('kill');
await sleep(300);
const closed = inventory();

function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const below = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return values.reduce((sum, value, at) => sum + (at - middle) * value, 0) / below;
}

console.log(JSON.stringify({ atFirst, before, after, closed, heapSlope: slope(heap) } satisfies Cycles));
