/**
 * A script, run as a child process: so many requests of mixed kinds over one HTTP and one stdio connection of each era, with
 * random cancels, kills, crashes, aborts and time-outs, seeded. It prints what it found as one line of JSON and must then end
 * by itself.
 *
 *     node dist/test/field/mixed/run.js [requests] [seed]     (npm run soak: ten thousand)
 *
 * Node 20's fetch keeps a listener a request on the transport's own signal until they are collected, with the official client
 * alone just the same; the soak does not print that warning.
 */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createBulkhead, type TransportLike } from '../../../src/index.js';
import { createAskingServer } from '../../support/asking.js';
import { askingCommand, roundsCommand } from '../../support/commands.js';
import { serveModern, serveSessions } from '../../support/http.js';
import { createRoundsFactory } from '../../support/rounds.js';
import { askForm, revealingHandler } from '../asks.js';
import { createChance } from './chance.js';
import { openLegacy } from './legacy.js';
import { findingsOf, type Line, settled } from './line.js';
import { openModern } from './modern.js';

const [requests = 10_000, seed = 1] = process.argv.slice(2).map(Number);
/** Calls of one connection at the same time. */
const lanes = 4;

const chance = createChance(seed);
const sessions = await serveSessions(createAskingServer);
const endpoint = await serveModern(createRoundsFactory());
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

const http = new StreamableHTTPClientTransport(sessions.url) as TransportLike;
const stdio = new StdioClientTransport({ ...askingCommand, args: [...askingCommand.args] }) as unknown as TransportLike;
const lines: readonly Line[] = [
  await openLegacy(bulkhead, 'legacy http', http),
  await openLegacy(bulkhead, 'legacy stdio', stdio),
  await openModern(bulkhead, 'modern http', endpoint.url),
  await openModern(bulkhead, 'modern stdio', roundsCommand),
];

async function playLane(line: Line): Promise<void> {
  while (line.asked() < requests / lines.length) await line.play(chance);
}

// One of each, whatever chance brings.
const certain = [askForm('spin'), askForm('spin', { cancelAfter: 20 }), askForm('refuse'), askForm('throw'), askForm('plain')];
await lines[0]?.connection.callTool({ name: 'ask', arguments: { steps: certain } });
await Promise.all(lines.flatMap((line) => Array.from({ length: lanes }, () => playLane(line))));
await settled(lines, bulkhead);
const found = lines.map(findingsOf);
const { busy, undead } = bulkhead.stats().isolation[0] ?? {};
await bulkhead.close();
await Promise.all([sessions.close(), endpoint.close()]);
process.exitCode = found.every(({ faults }) => faults.length === 0) ? 0 : 1;
process.stdout.write(`${JSON.stringify({ seed, busy, undead, lines: found })}\n`);
