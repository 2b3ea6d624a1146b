/** Several threads on one bucket: how often a second they get to try, all together, and that none gets more than there is. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Table } from '../../src/cli/measure/answer.js';
import { createBudgetBuffer, openBudget } from '../../src/limits/bucket.js';
import type { Plan } from '../question.js';
import type { Spending } from './spending.js';

/** So generous that most takes succeed and really write, which is where threads collide. */
const rate = { perSecond: 1e6, burst: 1e6 };

interface Spent {
  readonly attempts: number;
  readonly taken: number;
}

export async function contention(plan: Plan): Promise<Table> {
  const rows: [string, number, number, number][] = [];
  for (const threads of [1, 2, 4]) {
    plan.progress(`guards: ${threads} threads on one bucket`);
    const { attempts, seconds, taken } = await spend(threads, plan.pick(1000, 50));
    rows.push([`${threads}`, attempts / seconds, (seconds * threads * 1e6) / attempts, taken / seconds]);
  }
  return {
    title: 'Threads on one bucket',
    columns: ['threads', 'takes/s, together', 'us a take, in its thread', 'taken/s, together'],
    rows,
    note: 'A bucket of 1 000 000 tokens that refills by as many a second; more threads than cores wait for a turn, too.',
  };
}

async function spend(threads: number, milliseconds: number): Promise<Spent & { readonly seconds: number }> {
  const buffer = createBudgetBuffer({ slots: 16 });
  const signal = new SharedArrayBuffer(4);
  const workerData = { buffer, key: 'server', rate, signal } satisfies Spending;
  const workers = Array.from({ length: threads }, () => new Worker(new URL('./spending.js', import.meta.url), { workerData }));
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  const counts = workers.map((worker) => once(worker, 'message') as Promise<[Spent]>);
  const word = new Int32Array(signal);
  const before = performance.now();
  Atomics.store(word, 0, 1);
  Atomics.notify(word, 0);
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  Atomics.store(word, 0, 2);
  const spent = (await Promise.all(counts)).map(([one]) => one);
  const seconds = (performance.now() - before) / 1000;
  const sum = (of: keyof Spent): number => spent.reduce((total, one) => total + one[of], 0);
  verify(sum('taken'), seconds, openBudget(buffer));
  return { attempts: sum('attempts'), taken: sum('taken'), seconds };
}

/** The start is a little earlier than `seconds` knows, since every thread tries once before it waits. */
function verify(taken: number, seconds: number, budget: ReturnType<typeof openBudget>): void {
  const most = rate.burst + rate.perSecond * (seconds + 1);
  if (taken === 0 || taken > most) throw new Error(`${taken} tokens were given, of ${most} at most`);
  if (budget.delay('server', rate) === Number.POSITIVE_INFINITY) throw new Error('the bucket is gone');
}
