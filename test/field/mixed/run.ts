/**
 * A script, run as a child process: so many requests of mixed kinds over one HTTP and one stdio connection, with random
 * cancels, kills, crashes, aborts and time-outs, seeded. It prints what it found as one line of JSON and must then end by itself.
 *
 *     node dist/test/field/mixed/run.js [requests] [seed]     (npm run soak: ten thousand)
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type Bulkhead, type Connection, createBulkhead, type TransportLike } from '../../../src/index.js';
import { createAskingServer, type Step } from '../../support/asking.js';
import { askingCommand } from '../../support/commands.js';
import { serveSessions } from '../../support/http.js';
import { formParams, revealingHandler, samplingParams } from '../asks.js';
import { type Chance, createChance } from './chance.js';
import { createLedger, type LedgerInstaller } from './ledger.js';

const [requests = 10_000, seed = 1] = process.argv.slice(2).map(Number);
const lanes = 6;

interface Line {
  readonly name: string;
  readonly connection: Connection<Client>;
  readonly ledger: LedgerInstaller;
  readonly outcomes: { [outcome: string]: number };
}

async function open(bulkhead: Bulkhead, name: string, transport: TransportLike): Promise<Line> {
  const client = new Client({ name: 'host', version: '1.0.0' });
  const ledger = createLedger();
  ledger.outbound(transport);
  const connection = bulkhead.attach(transport, { serverId: name, client });
  ledger.inbound(transport);
  const outcomes: { [outcome: string]: number } = {};
  connection.on('input', ({ outcome }) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  });
  await client.connect(transport as StdioClientTransport);
  return { name, connection, ledger, outcomes };
}

/** One request: mostly answered, sometimes refused, crashed, cancelled by its server, or stuck until its deadline. */
function randomStep(chance: Chance): Step {
  const act = chance.once(4) ? chance.pick(['throw', 'refuse', 'return nothing', 'sleep 5']) : 'plain';
  const stuck = chance.once(30);
  const message = stuck ? 'spin' : chance.once(200) ? 'exit' : act;
  const ask = chance.pick(['elicitation/create', 'sampling/createMessage', 'roots/list']);
  const params = ask === 'roots/list' ? {} : ask === 'elicitation/create' ? formParams(message) : samplingParams(message);
  const cancelled = (stuck && chance.once(2)) || chance.once(12);
  return cancelled ? { ask, params, cancelAfter: chance.integer(15) } : { ask, params };
}

/** A call that asks several times; sometimes its caller gives it up, or its time is short. */
async function playCall({ connection }: Line, chance: Chance): Promise<void> {
  const steps: Step[] = [{ together: Array.from({ length: 1 + chance.integer(3) }, () => randomStep(chance)) }];
  if (chance.once(2)) steps.push(randomStep(chance));
  const abort = new AbortController();
  const timer = chance.once(10) ? setTimeout(() => abort.abort(), chance.integer(20)) : undefined;
  const clocks = chance.once(20) ? { maxTotalTimeout: 1 + chance.integer(20) } : {};
  try {
    await connection.callTool({ name: 'ask', arguments: { steps } }, { signal: abort.signal, ...clocks });
  } catch (error) {
    const kind = (error as { kind?: unknown }).kind;
    if (kind !== 'cancelled' && kind !== 'timeout') throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function playLine(line: Line, share: number, chance: Chance): Promise<void> {
  while (line.ledger.asked < share) await playCall(line, chance);
}

function findings({ name, connection, ledger, outcomes }: Line) {
  const { calls, running } = connection.stats();
  return { name, asked: ledger.asked, cancelled: ledger.cancelled, faults: ledger.faults(), outcomes, calls, running };
}

const chance = createChance(seed);
const served = await serveSessions(createAskingServer);
const bulkhead = await createBulkhead({
  handler: revealingHandler,
  // What spins is killed for being busy, which a loaded machine does not hasten; the deadline is for what is lost.
  busyTimeout: 100,
  handlerTimeout: 30_000,
  maxServerRequests: 64,
  inputRateLimit: { perSecond: 1e6, burst: 1e6 },
  threads: { max: 40, spares: 2, maxUndead: 16 },
});
bulkhead.on('output', () => {});
const lines = [
  await open(bulkhead, 'http', new StreamableHTTPClientTransport(served.url) as TransportLike),
  await open(
    bulkhead,
    'stdio',
    new StdioClientTransport({ ...askingCommand, args: [...askingCommand.args] }) as unknown as TransportLike,
  ),
];
await Promise.all(lines.flatMap((line) => Array.from({ length: lanes }, () => playLine(line, requests / lines.length, chance))));
// What the last aborted calls left behind is settled soon.
while (lines.some(({ connection }) => connection.stats().running > 0)) await new Promise((resolve) => setTimeout(resolve, 20));
const found = lines.map(findings);
const { busy, undead } = bulkhead.stats().isolation[0] ?? {};
await bulkhead.close();
await served.close();
process.exitCode = found.every(({ faults }) => faults.length === 0) ? 0 : 1;
process.stdout.write(`${JSON.stringify({ seed, busy, undead, lines: found })}\n`);
