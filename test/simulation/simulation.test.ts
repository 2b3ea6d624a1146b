/**
 * Ten thousand seeded interleavings over the real state machine of a connection. A failure names its era and seed: set
 * `SIMULATION_SEED` to play that one alone, `SIMULATION_EPISODES` to play more.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { Play } from './play.js';

const episodes = Number(process.env.SIMULATION_EPISODES ?? 10_000) / 2;
const only = process.env.SIMULATION_SEED;

async function play(era: Play['era']): Promise<void> {
  const [from, to] = only === undefined ? [0, episodes] : [Number(only), Number(only) + 1];
  const worker = new Worker(new URL('./play.js', import.meta.url), { workerData: { era, from, to } satisfies Play });
  const [failure] = (await once(worker, 'message')) as [string | undefined];
  await worker.terminate();
  assert.equal(failure, undefined, failure);
}

const eras = { legacy: play('legacy'), modern: play('modern') };

for (const [era, played] of Object.entries(eras))
  test(`B11, B15, B17, B19, B21, B24, case 49: ${era}: in whatever order things come, each request has one end and no book keeps a trace`, () =>
    played);
