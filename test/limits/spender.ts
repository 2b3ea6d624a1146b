/** A thread that spends from a shared budget until it is refused, on a clock that stands still; started by the tests. */
import { parentPort, workerData } from 'node:worker_threads';
import { openBudget, type Rate } from '../../src/limits/bucket.js';

export interface Spender {
  readonly buffer: SharedArrayBuffer;
  /** One 32-bit word; the threads start together when it is 1. */
  readonly gate: SharedArrayBuffer;
  readonly keys: readonly string[];
  readonly rate: Rate;
  /** Takes of each key; 0 goes on for ever. */
  readonly attempts: number;
}

const { buffer, gate, keys, rate, attempts } = workerData as Spender;
const budget = openBudget(buffer, () => 1_000_000_000n);
parentPort?.postMessage('ready');
Atomics.wait(new Int32Array(gate), 0, 0);
const counts: Record<string, number> = Object.fromEntries(keys.map((key) => [key, 0]));
for (let round = 0; attempts === 0 || round < attempts; round++) {
  for (const key of keys) if (budget.take(key, rate) === 'taken') counts[key] = (counts[key] ?? 0) + 1;
}
parentPort?.postMessage(counts);
