// Servers that die while they are being answered: the host hears of it, its callbacks die, and nothing else does.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Bulkhead, type Connection, createBulkhead } from '../../src/index.js';
import { createAskingServer, outcomesOf, type Step } from '../support/asking.js';
import { askingCommand } from '../support/commands.js';
import { serveSessions } from '../support/http.js';
import { askForm, revealingHandler } from './asks.js';

let bulkhead: Bulkhead;

before(async () => {
  bulkhead = await createBulkhead({ handler: revealingHandler });
});

after(() => bulkhead.close());

const legacy = { versionNegotiation: { mode: 'legacy' } } as const;

function outcomesSeenBy(connection: Connection): string[] {
  const outcomes: string[] = [];
  connection.on('input', ({ outcome }) => outcomes.push(outcome));
  return outcomes;
}

function ask(connection: Connection, steps: readonly Step[]): Promise<unknown> {
  return connection.callTool({ name: 'ask', arguments: { steps } });
}

/** Resolves once a callback of this connection runs. */
async function runningIn(connection: Connection): Promise<void> {
  while (connection.stats().running === 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('B20: a stdio server that dies takes its own callbacks with it, and no others', async () => {
  const [dying, living] = await Promise.all(
    ['dying', 'living'].map((serverId) => bulkhead.connect(askingCommand, { serverId, clientOptions: legacy })),
  );
  assert.ok(dying !== undefined && living !== undefined);
  const lost = outcomesSeenBy(dying);
  const kept = outcomesSeenBy(living);
  const closed = new Promise<void>((resolve) => dying.on('close', resolve));
  const other = living.callTool({ name: 'ask', arguments: { steps: [askForm('sleep 300')] } });
  const failed = assert.rejects(ask(dying, [askForm('spin')]), { name: 'BulkheadError', kind: 'closed' });
  await runningIn(dying);
  await assert.rejects(ask(dying, [{ die: true }]), { name: 'BulkheadError', kind: 'closed' });
  await failed;
  await closed;
  assert.ok('result' in (outcomesOf(await other)[0] as object));
  assert.deepEqual(lost, ['killed']);
  assert.deepEqual(kept, ['answered']);
  assert.equal(dying.stats().running, 0);
  await Promise.all([dying.close(), living.close()]);
});

test('B20: closing a connection whose callback spins ends it at once, for the next to go on', async () => {
  const served = await serveSessions(createAskingServer);
  const connection = await bulkhead.connect(served.url, { serverId: 'closing', clientOptions: legacy });
  const outcomes = outcomesSeenBy(connection);
  const failed = assert.rejects(ask(connection, [askForm('spin')]), { name: 'BulkheadError', kind: 'closed' });
  await runningIn(connection);
  await connection.close();
  await failed;
  assert.deepEqual(outcomes, ['killed']);
  await served.close();
});
