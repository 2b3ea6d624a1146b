/**
 * Ways to run a callback that can be killed at a deadline: our thread tier with its spare and without one, and the pools people
 * know, each with its own means (an abort signal, or a time-out of its own).
 */
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import Tinypool from 'tinypool';
import workerpool from 'workerpool';
import { settingsFor, standBy } from '../../src/cli/measure/tiers.js';
import type { SamplingParams } from '../../src/contract/handler.js';
import { createIsolation } from '../../src/isolation/create.js';
import { context } from './payload.js';
import { taskOf } from './tiers.js';

export interface Killer {
  readonly name: string;
  /** Loops for ever; resolves when the caller knows that it was killed at the deadline, `deadline` ms from now. */
  loop(deadline: number): Promise<void>;
  /** One quick callback; rejects if it was not answered. */
  answer(): Promise<void>;
  /** Resolves when the subject is at rest: whatever it prepares behind a kill is prepared. */
  rest(): Promise<void>;
  close(): Promise<void>;
}

const file = (name: string): string => fileURLToPath(new URL(`./${name}.js`, import.meta.url));
const params = (maxTokens: number): SamplingParams => ({ messages: [], maxTokens });
const [forEver, quick] = [params(1), params(2)];

export const ourName = 'bulkhead thread';
export const coldName = 'bulkhead thread, no spare';

export async function openKillers(): Promise<Killer[]> {
  return [await bulkhead(ourName, 1), await bulkhead(coldName, 0), pools('piscina'), pools('tinypool'), timed()];
}

async function bulkhead(name: string, spares: number): Promise<Killer> {
  const settings = await settingsFor('thread', new URL('./killable.js', import.meta.url), {});
  const room = await createIsolation({ ...settings, threads: { ...settings.threads, spares } });
  await standBy(room, 1);
  const free = (): boolean => room.stats().spares > spares;
  return {
    name,
    loop: (deadline) => {
      const run = room.run(taskOf(forEver));
      setTimeout(() => run.kill('timeout'), deadline);
      return run.outcome.then(({ type }) => expect(name, type === 'killed'));
    },
    answer: async () => {
      const { type } = await room.run(taskOf(quick)).outcome;
      expect(name, type === 'returned');
    },
    async rest() {
      while (!free()) await pause(5);
      await pause(50);
    },
    close: () => room.close('kill'),
  };
}

/** Piscina and Tinypool: an abort controller and a timer for each task, as their users write it. */
function pools(name: 'piscina' | 'tinypool'): Killer {
  const pool: { run(task: unknown, options?: object): Promise<unknown>; destroy(): Promise<unknown> } =
    name === 'piscina'
      ? new Piscina({ filename: file('killing'), minThreads: 1, maxThreads: 1, atomics: 'disabled' })
      : new Tinypool({ filename: file('killing'), minThreads: 1, maxThreads: 1, useAtomics: false });
  const run = (task: SamplingParams, signal?: AbortSignal): Promise<unknown> =>
    pool.run({ params: task, context }, signal === undefined ? {} : { signal });
  return {
    name,
    loop: (deadline) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), deadline);
      return run(forEver, controller.signal).then(
        () => expect(name, false),
        () => {},
      );
    },
    answer: async () => void (await run(quick)),
    rest: () => pause(200),
    close: async () => void (await pool.destroy()),
  };
}

function timed(): Killer {
  const name = 'workerpool';
  const pool = workerpool.pool(file('killed'), { minWorkers: 1, maxWorkers: 1, workerType: 'thread' });
  return {
    name,
    loop: async (deadline) => {
      await pool
        .exec('work', [{ params: forEver, context }])
        .timeout(deadline)
        .then(
          () => expect(name, false),
          () => {},
        );
    },
    answer: async () => void (await pool.exec('work', [{ params: quick, context }])),
    rest: () => pause(200),
    close: async () => void (await pool.terminate(true)),
  };
}

function expect(name: string, holds: boolean): void {
  if (!holds) throw new Error(`${name}: it did not end as it should`);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
