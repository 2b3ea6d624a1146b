/** A legacy connection of the mixed run, with a ledger of its wire: each request is answered exactly once, or cancelled. */
import { Client } from '@modelcontextprotocol/client';
import type { Bulkhead, TransportLike } from '../../../src/index.js';
import type { Step } from '../../support/asking.js';
import { formParams, samplingParams } from '../asks.js';
import type { Chance } from './chance.js';
import { createLedger } from './ledger.js';
import { callSometimesInVain, type Line } from './line.js';

export async function openLegacy(bulkhead: Bulkhead, name: string, transport: TransportLike): Promise<Line> {
  const client = new Client({ name: 'host', version: '1.0.0' });
  const ledger = createLedger();
  ledger.outbound(transport);
  const connection = bulkhead.attach(transport, { serverId: name, client });
  ledger.inbound(transport);
  await client.connect(transport as never);
  return {
    name,
    connection,
    play: (chance) => callSometimesInVain(connection, { name: 'ask', arguments: { steps: randomSteps(chance) } }, chance),
    asked: () => ledger.asked,
    faults: ledger.faults,
  };
}

function randomSteps(chance: Chance): readonly Step[] {
  const together = { together: Array.from({ length: 1 + chance.integer(3) }, () => randomStep(chance)) };
  return chance.once(2) ? [together, randomStep(chance)] : [together];
}

/** One request: mostly answered, sometimes refused, crashed, cancelled by its server, or stuck until it is killed. */
function randomStep(chance: Chance): Step {
  const stuck = chance.once(30);
  const message = stuck ? 'spin' : randomMessage(chance);
  const ask = chance.pick(['elicitation/create', 'sampling/createMessage', 'roots/list']);
  const params = ask === 'roots/list' ? {} : ask === 'elicitation/create' ? formParams(message) : samplingParams(message);
  const cancelled = (stuck && chance.once(2)) || chance.once(12);
  return cancelled ? { ask, params, cancelAfter: chance.integer(15) } : { ask, params };
}

function randomMessage(chance: Chance): string {
  if (chance.once(200)) return 'exit';
  return chance.once(4) ? chance.pick(['throw', 'refuse', 'return nothing', 'sleep 5']) : 'plain';
}
