import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { createBudgetBuffer, openBudget } from '../../src/limits/bucket.js';
import type { Spender } from './spender.js';

const fixed = (): bigint => 1_000_000_000n;

async function start(threads: number, work: Omit<Spender, 'gate'>): Promise<{ workers: Worker[]; open(): void }> {
  const gate = new SharedArrayBuffer(4);
  const workers = Array.from(
    { length: threads },
    () => new Worker(new URL('./spender.js', import.meta.url), { workerData: { ...work, gate } satisfies Spender }),
  );
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  const word = new Int32Array(gate);
  return {
    workers,
    open() {
      Atomics.store(word, 0, 1);
      Atomics.notify(word, 0);
    },
  };
}

async function spend(threads: number, work: Omit<Spender, 'gate'>): Promise<Record<string, number>[]> {
  const { workers, open } = await start(threads, work);
  const counts = workers.map((worker) => once(worker, 'message') as Promise<[Record<string, number>]>);
  open();
  return (await Promise.all(counts)).map(([count]) => count);
}

const sum = (counts: readonly Record<string, number>[], key: string): number =>
  counts.reduce((total, count) => total + (count[key] ?? 0), 0);

test('B31: four threads hammering one cell admit exactly the limit, and not one more', async () => {
  const rate = { perSecond: 10, burst: 200_000 };
  const buffer = createBudgetBuffer({ slots: 4 });
  const counts = await spend(4, { buffer, keys: ['s'], rate, attempts: 100_000 });
  assert.equal(sum(counts, 's'), rate.burst);
  assert.equal(openBudget(buffer, fixed).take('s', rate), 'refused');
});

test('B31: threads that claim the same new keys at the same instant share the buckets', async () => {
  const keys = Array.from({ length: 200 }, (_, index) => `server ${index}`);
  const rate = { perSecond: 10, burst: 7 };
  const counts = await spend(4, { buffer: createBudgetBuffer({ slots: 256 }), keys, rate, attempts: 20 });
  for (const key of keys) assert.equal(sum(counts, key), rate.burst, key);
});

test('B31: threads that fill the table get exactly as many keys into it as there are slots', async () => {
  const keys = Array.from({ length: 100 }, (_, index) => `server ${index}`);
  const rate = { perSecond: 10, burst: 3 };
  const counts = await spend(4, { buffer: createBudgetBuffer({ slots: 32 }), keys, rate, attempts: 10 });
  const totals = keys.map((key) => sum(counts, key));
  assert.equal(totals.filter((total) => total === rate.burst).length, 32);
  assert.equal(totals.filter((total) => total === 0).length, 68);
});

test('B31: a thread killed in the middle of an update leaves a table that works, with nothing given twice', async () => {
  const rate = { perSecond: 10, burst: 1_000_000 };
  const buffer = createBudgetBuffer({ slots: 8 });
  for (let round = 0; round < 5; round++) {
    const { workers, open } = await start(2, { buffer, keys: ['a', 'b'], rate, attempts: 0 });
    open();
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  const budget = openBudget(buffer, fixed);
  let rest = 0;
  while (budget.take('a', rate) === 'taken') rest += 1;
  assert.ok(rest <= rate.burst);
  assert.equal(budget.take('a', rate), 'refused', 'the bucket is still one bucket');
  assert.equal(budget.take('fresh', rate), 'taken', 'and the table still takes keys');
});
