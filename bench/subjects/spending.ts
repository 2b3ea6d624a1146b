/** A thread that spends from a shared budget until it is told to stop, and says how often it tried; started by the bench. */
import { parentPort, workerData } from 'node:worker_threads';
import { openBudget, type Rate } from '../../src/limits/bucket.js';

export interface Spending {
  readonly buffer: SharedArrayBuffer;
  readonly key: string;
  readonly rate: Rate;
  /** One 32-bit word: 0 wait, 1 go, 2 stop. */
  readonly signal: SharedArrayBuffer;
}

const { buffer, key, rate, signal } = workerData as Spending;
const word = new Int32Array(signal);
const budget = openBudget(buffer);
budget.take(key, rate);
parentPort?.postMessage('ready');
Atomics.wait(word, 0, 0);
let [attempts, taken] = [0, 0];
while (Atomics.load(word, 0) === 1) {
  for (let turn = 0; turn < 100; turn++) if (budget.take(key, rate) === 'taken') taken += 1;
  attempts += 100;
}
parentPort?.postMessage({ attempts, taken });
