/** A modern connection of the mixed run: every question of a round leaves one record, whatever became of its call. */
import { randomUUID } from 'node:crypto';
import type { Bulkhead, Target } from '../../../src/index.js';
import type { Round } from '../../support/rounds.js';
import { formParams, samplingParams } from '../asks.js';
import type { Chance } from './chance.js';
import { callSometimesInVain, type Line } from './line.js';

export async function openModern(bulkhead: Bulkhead, name: string, target: Target): Promise<Line> {
  const connection = await bulkhead.connect(target, { serverId: name });
  let asked = 0;
  const faults: string[] = [];
  connection.on('input', ({ request, relatedRequestId }) => {
    asked += 1;
    if (request === undefined || relatedRequestId !== null) faults.push(`question ${asked} does not name its round`);
  });
  const play = (chance: Chance) => {
    const rounds = Array.from({ length: 1 + chance.integer(2) }, () => randomRound(chance));
    return callSometimesInVain(connection, { name: 'rounds', arguments: { key: randomUUID(), rounds } }, chance);
  };
  return { name, connection, play, asked: () => asked, faults: () => faults };
}

function randomRound(chance: Chance): Round {
  const kinds: Round['inputRequests'] = {
    form: { method: 'elicitation/create', params: formParams(randomMessage(chance)) },
    model: { method: 'sampling/createMessage', params: samplingParams(randomMessage(chance)) },
    folder: { method: 'roots/list' },
  };
  const inputRequests = Object.fromEntries(Object.entries(kinds).filter(() => !chance.once(3)));
  const asks =
    Object.keys(inputRequests).length > 0 ? { inputRequests } : { inputRequests: { folder: { method: 'roots/list' } } };
  return chance.once(2) ? { ...asks, requestState: `state ${chance.integer(1000)}` } : asks;
}

/** Mostly plain: a callback that fails ends the whole call. */
function randomMessage(chance: Chance): string {
  if (chance.once(60)) return 'spin';
  return chance.once(12) ? chance.pick(['throw', 'refuse', 'return nothing', 'exit']) : chance.pick(['plain', 'sleep 3']);
}
