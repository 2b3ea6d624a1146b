// A host keeps the client it has: the official client of both generations, on each of their transports, attached in place.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport as InMemoryV1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { type Bulkhead, type Connection, createBulkhead, type TransportLike } from '../../src/index.js';
import { createAskingServer, outcomesOf, type Step } from '../support/asking.js';
import { askingCommand } from '../support/commands.js';
import { type ServedSessions, serveSessions } from '../support/http.js';
import { askForm, askSampling, revealedIn, revealingHandler } from './asks.js';

let bulkhead: Bulkhead;
let served: ServedSessions;

before(async () => {
  bulkhead = await createBulkhead({ handler: revealingHandler, roots: { listChanged: true } });
  served = await serveSessions(createAskingServer);
});

after(async () => {
  await bulkhead.close();
  await served.close();
});

const spawnOptions = { ...askingCommand, args: [...askingCommand.args] };

async function linked(pair: readonly [unknown, unknown]): Promise<TransportLike> {
  await createAskingServer().connect(pair[1] as InMemoryTransport);
  return pair[0] as TransportLike;
}

const transports: { readonly [name: string]: () => Promise<TransportLike> } = {
  'v2 over stdio': async () => new StdioClientTransport(spawnOptions) as TransportLike,
  'v2 over Streamable HTTP': async () => new StreamableHTTPClientTransport(served.url) as TransportLike,
  'v2 in memory': () => linked(InMemoryTransport.createLinkedPair()),
  'v1 over stdio': async () => new StdioV1(spawnOptions) as TransportLike,
  'v1 over Streamable HTTP': async () => new HttpV1(served.url) as TransportLike,
  'v1 in memory': () => linked(InMemoryV1.createLinkedPair()),
};

/** Built without any capability: what the handler module answers is advertised for it. */
function clientFor(name: string): Client | ClientV1 {
  const info = { name: 'host', version: '1.0.0' };
  return name.startsWith('v2') ? new Client(info) : new ClientV1(info);
}

async function attach(name: string): Promise<Connection<Client | ClientV1>> {
  const transport = await (transports[name] as () => Promise<TransportLike>)();
  const client = clientFor(name);
  const connection = bulkhead.attach(transport, { serverId: name, client, assigns: { by: name } });
  await client.connect(transport as never);
  return connection;
}

const everyKind: readonly Step[] = [
  askForm('plain'),
  { ask: 'elicitation/create', params: { mode: 'url', message: 'Go', url: 'https://example.com/', elicitationId: '1' } },
  askSampling('plain'),
  { ask: 'roots/list' },
  { ask: 'ping' },
];

for (const name of Object.keys(transports)) {
  test(`client ${name}: every kind is answered, and the call it belongs to is known`, async () => {
    const connection = await attach(name);
    assert.equal(connection.era, 'legacy');
    const result = await connection.callTool({ name: 'ask', arguments: { steps: everyKind } }, { assigns: { call: 1 } });
    const [form, page, model, roots, pong] = outcomesOf(result) as readonly { readonly result: Record<string, unknown> }[];
    const { assigns, relatedRequestId } = revealedIn(form);
    assert.deepEqual(assigns, { call: 1 });
    assert.notEqual(relatedRequestId, null);
    assert.deepEqual(page?.result, { action: 'accept' });
    assert.equal(model?.result.model, 'revealing');
    assert.deepEqual(Object.keys(roots?.result ?? {}), ['roots']);
    assert.deepEqual(pong?.result, {});
    await connection.close();
  });

  test(`client ${name}: its own methods, its ping and its closing go on as before`, async () => {
    const connection = await attach(name);
    const { client } = connection;
    const echo = await client.callTool({ name: 'echo', arguments: { text: 'as before' } });
    assert.deepEqual(echo.content, [{ type: 'text', text: 'as before' }]);
    assert.deepEqual(await client.ping(), {});
    assert.ok((await connection.ping()) >= 0);
    let closed = 0;
    client.onclose = () => {
      closed += 1;
    };
    await client.close();
    assert.equal(closed, 1);
    await assert.rejects(connection.callTool({ name: 'echo', arguments: { text: 'too late' } }));
    await connection.close();
  });
}

test('B3: the server is told what the handler module answers, whatever the client was built with', async () => {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = createAskingServer();
  await server.connect(far);
  const client = new Client({ name: 'host', version: '1.0.0' }, { capabilities: { experimental: { mine: {} } } });
  bulkhead.attach(near, { serverId: 'told', client });
  await client.connect(near);
  assert.deepEqual(server.server.getClientCapabilities(), {
    experimental: { mine: {} },
    sampling: {},
    elicitation: { form: {}, url: {} },
    roots: { listChanged: true },
  });
  await client.close();
});
