/**
 * Our tiers without wire and guards: a callback through the isolation room, beside the baselines of the same bench.
 */
import type { Case, Subject } from '../../src/cli/measure/compare.js';
import { settingsFor, standBy } from '../../src/cli/measure/tiers.js';
import { createIsolation } from '../../src/isolation/create.js';
import type { Outcome, Task } from '../../src/isolation/isolation.js';
import { type Tier, tiers } from '../../src/options.js';
import type { ThreadOptions } from '../../src/threads.js';
import type { Load } from './baselines.js';
import { answerFor, context, payloadOf } from './payload.js';

/** Tiers that take the callback out of the main thread. */
export const outside: readonly Tier[] = tiers.filter((tier) => tier !== 'inline');

export const ours = (name: string): boolean => name.startsWith('bulkhead');
export const nameOf = (tier: Tier): string => `bulkhead ${tier}`;

export const callback: URL = new URL('./callback.js', import.meta.url);

export function isolated({ bytes, lanes }: Load): Case[] {
  return tiers.map((tier) => ({
    name: nameOf(tier),
    open: () => openRoom(tier, callback, payloadOf(bytes), lanes),
    check: answerFor(bytes),
  }));
}

/** A room whose every call runs `handleSampling` of a module with the same params. */
export async function openRoom(tier: Tier, handler: URL, params: unknown, lanes: number): Promise<Subject> {
  const { close, run } = await openRunning(tier, handler, { min: lanes });
  const task = taskOf(params);
  return { call: () => run(task), close };
}

/** A room, and what the callback says to a task. */
export async function openRunning(
  tier: Tier,
  handler: URL,
  threads: ThreadOptions & { readonly min: number },
): Promise<{ run(task: Task): Promise<unknown>; close(): Promise<void> }> {
  const room = await createIsolation(await settingsFor(tier, handler, threads));
  await standBy(room, threads.min);
  return {
    run: async (task) => said(await room.run(task).outcome),
    close: () => room.close('kill'),
  };
}

/** What a callback returned; whatever else came of it is no right answer, and a check will say so. */
export function said(outcome: Outcome): unknown {
  return outcome.type === 'returned' ? outcome.value : outcome;
}

export const taskOf = (params: unknown): Task => ({
  kind: 'sampling',
  serverId: context.serverId,
  connectionId: 1,
  params,
  context,
  state: undefined,
  busyTimeout: 0,
  killGrace: 0,
});
