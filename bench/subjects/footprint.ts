/**
 * Prints the resident memory of a fresh process that holds so many idle workers of a tier, children included:
 * `node --expose-gc footprint.js <tier or piscina> <workers>`. Told in bytes, once everything is idle.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { settingsFor, standBy } from '../../src/cli/measure/tiers.js';
import { createIsolation } from '../../src/isolation/create.js';
import type { Tier } from '../../src/options.js';
import { basis } from './baselines.js';
import { answerFor, payloadOf } from './payload.js';
import { callback, taskOf } from './tiers.js';

const [tier = basis, workers = '1'] = process.argv.slice(2);
const count = Number(workers);
const task = taskOf(payloadOf(1024));
const isAnswer = answerFor(1024);

if (tier === basis) await holdPool();
else await holdRoom(tier as Tier);
(globalThis as { gc?: () => void }).gc?.();
await new Promise((resolve) => setTimeout(resolve, 150));
console.log(JSON.stringify({ resident: process.memoryUsage.rss(), children: childrenOf(process.pid) }));
process.exit(0);

async function holdPool(): Promise<void> {
  const filename = fileURLToPath(new URL('./threaded.js', import.meta.url));
  const pool = new Piscina({ filename, minThreads: count, maxThreads: count, atomics: 'disabled' });
  await Promise.all(Array.from({ length: count }, () => pool.run(task).then(expectAnswer)));
}

async function holdRoom(chosen: Tier): Promise<void> {
  const room = await createIsolation(await settingsFor(chosen, callback, { min: count, spares: 0 }));
  await standBy(room, count);
  const outcome = await room.run(task).outcome;
  expectAnswer(outcome.type === 'returned' ? outcome.value : undefined);
}

function expectAnswer(answer: unknown): void {
  if (!isAnswer(answer)) throw new Error('the work was not done');
}

/** Memory of child processes, shared pages counted in parts; 0 where the system does not tell. */
function childrenOf(pid: number): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + shareOf(child) + childrenOf(Number(child)), 0);
  } catch {
    return 0;
  }
}

function shareOf(pid: string): number {
  const found = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'));
  return Number(found?.[1] ?? 0) * 1024;
}
