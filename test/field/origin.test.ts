// Whose page a person is asked to open: judged against the server's own origin, however the connection came to know it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Bulkhead, type Connection, createBulkhead } from '../../src/index.js';
import { createAskingServer, outcomesOf, type StepOutcome } from '../support/asking.js';
import { type Served, serveSessions } from '../support/http.js';
import { revealingHandler } from './asks.js';

let bulkhead: Bulkhead;
let served: Served;

before(async () => {
  bulkhead = await createBulkhead({ handler: revealingHandler, elicitation: { allowLoopbackHttp: true } });
  served = await serveSessions(createAskingServer);
});

after(async () => {
  await bulkhead.close();
  await served.close();
});

/** Whether the callback was told that each of these pages is a stranger's. */
async function strangers(connection: Connection<Client>, pages: readonly string[]): Promise<readonly boolean[]> {
  const steps = pages.map((url) => ({
    ask: 'elicitation/create',
    params: { mode: 'url', message: 'tell the origin', url, elicitationId: url },
  }));
  const outcomes = outcomesOf(await connection.callTool({ name: 'ask', arguments: { steps } }));
  return outcomes.map(mismatchIn);
}

const mismatchIn = (outcome: StepOutcome): boolean => (outcome as { error: { data: { mismatch: boolean } } }).error.data.mismatch;

test('B42: the origin is that of the HTTP endpoint a connection was opened to', async () => {
  const connection = await bulkhead.connect(served.url, { serverId: 'by address' });
  const pages = [`${served.url.origin}/login`, 'https://login.example/'];
  assert.deepEqual(await strangers(connection, pages), [false, true]);
  await connection.close();
});

test('B42: elicitation.origin goes before the endpoint', async () => {
  const elicitation = { origin: 'https://login.example' };
  const connection = await bulkhead.connect(served.url, { serverId: 'by option', elicitation });
  const pages = ['https://login.example/start', 'https://login.example:8443/'];
  assert.deepEqual(await strangers(connection, pages), [false, true]);
  await connection.close();
});

test('B42: where nobody told, every page is a stranger’s', async () => {
  const client = new Client({ name: 'host', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(served.url);
  const connection = bulkhead.attach(transport, { serverId: 'unknown', client });
  await client.connect(transport);
  assert.deepEqual(await strangers(connection, [`${served.url.origin}/login`]), [true]);
  await connection.close();
});
