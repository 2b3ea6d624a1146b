/**
 * Our tiers, first without wire and guards: a callback through the isolation room. What is not built into a tier yet is
 * not in this list, and the benches take whatever the list has.
 */

import type { Case, Subject } from '../../src/cli/measure/compare.js';
import { systemClock } from '../../src/clock.js';
import { createIsolation, type IsolationSettings } from '../../src/isolation/create.js';
import type { Isolation, IsolationEvents, Task } from '../../src/isolation/isolation.js';
import { resolveThreads } from '../../src/threads.js';
import type { Load } from './baselines.js';
import { answerFor, context, payloadOf } from './payload.js';

export type Tier = IsolationSettings['tier'];

/** Every tier that a host can choose for its own module. */
export const tiers: readonly Tier[] = ['inline', 'thread'];

export const ours = (name: string): boolean => name.startsWith('bulkhead');
export const nameOf = (tier: Tier): string => `bulkhead ${tier}`;

export const silent: IsolationEvents = { stray: () => {}, output: () => {}, undead: () => {} };

export const settingsFor = (tier: Tier, handler: string, min = 1): IsolationSettings => ({
  tier,
  handler,
  threads: resolveThreads({ min }),
  services: {},
  events: silent,
  clock: systemClock,
});

const callback: string = new URL('./callback.js', import.meta.url).href;

export function isolated(load: Load, chosen: readonly Tier[] = tiers): Case[] {
  return chosen.map((tier) => ({ name: nameOf(tier), open: () => openTier(tier, load), check: answerFor(load.bytes) }));
}

function openTier(tier: Tier, { bytes, lanes }: Load): Promise<Subject> {
  return openRoom(tier, callback, payloadOf(bytes), lanes);
}

/** A room whose every call runs `handleSampling` of a module with the same params. */
export async function openRoom(tier: Tier, handler: string, params: unknown, lanes: number): Promise<Subject> {
  const room = await createIsolation(settingsFor(tier, handler, lanes));
  await warm(room, lanes);
  const task = taskOf(params);
  return {
    async call() {
      const outcome = await room.run(task).outcome;
      return outcome.type === 'returned' ? outcome.value : outcome;
    },
    close: () => room.close('kill'),
  };
}

/** Cells start one after the other behind the first; a bench begins when all stand ready. */
async function warm(room: Isolation, cells: number): Promise<void> {
  if (room.stats().tier === 'inline') return;
  while (room.stats().spares < cells) await new Promise((resolve) => setTimeout(resolve, 5));
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
