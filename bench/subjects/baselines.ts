/**
 * What else one could do: the callback called in place, and in the pools people know. Each pool has as many threads as
 * there are calls in flight, and none of them spins on atomics, since ours does not either.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import Tinypool from 'tinypool';
import workerpool from 'workerpool';
import type { Case, Subject } from '../../src/cli/measure/compare.js';
import type { CallbackContext } from '../../src/contract/handler.js';
import { handleSampling } from './callback.js';
import { answerFor, context, payloadOf } from './payload.js';

const file = (name: string): string => fileURLToPath(new URL(`./${name}.js`, import.meta.url));

export interface Load {
  /** Size of the params. */
  readonly bytes: number;
  /** Calls in flight. */
  readonly lanes: number;
}

type Open = (load: Load) => Subject;

export const inline: Open = ({ bytes }) => {
  const params = payloadOf(bytes);
  return { call: () => handleSampling(params, context as CallbackContext) };
};

export const piscina: Open = ({ bytes, lanes }) => {
  const task = { params: payloadOf(bytes), context };
  const pool = new Piscina({ filename: file('threaded'), minThreads: lanes, maxThreads: lanes, atomics: 'disabled' });
  return { call: () => pool.run(task), close: () => pool.destroy() };
};

const tinypool: Open = ({ bytes, lanes }) => {
  const task = { params: payloadOf(bytes), context };
  const pool = new Tinypool({ filename: file('threaded'), minThreads: lanes, maxThreads: lanes, useAtomics: false });
  return { call: () => pool.run(task), close: () => pool.destroy() };
};

const pooled: Open = ({ bytes, lanes }) => {
  const task = { params: payloadOf(bytes), context };
  const pool = workerpool.pool(file('pooled'), { minWorkers: lanes, maxWorkers: lanes, workerType: 'thread' });
  return {
    call: () => pool.exec('work', [task]),
    close: async () => {
      await pool.terminate(true);
    },
  };
};

const forked: Open = ({ bytes }) => {
  const task = { params: payloadOf(bytes), context };
  const child = fork(file('forked'), { execArgv: [] });
  const waiting = new Map<number, (value: unknown) => void>();
  let last = 0;
  child.on('message', ({ id, value }: { id: number; value: unknown }) => {
    waiting.get(id)?.(value);
    waiting.delete(id);
  });
  return {
    call: () =>
      new Promise((resolve) => {
        waiting.set(++last, resolve);
        child.send({ id: last, task });
      }),
    close: () => {
      child.kill('SIGKILL');
    },
  };
};

/** The baseline by which the design's goals are given. */
export const basis = 'piscina';

const opens: { readonly [name: string]: Open } = { inline, [basis]: piscina, tinypool, workerpool: pooled, fork: forked };

/** The bare callback in every way that is not ours. */
export function baselines(load: Load): Case[] {
  return Object.entries(opens).map(([name, open]) => ({ name, open: () => open(load), check: answerFor(load.bytes) }));
}
