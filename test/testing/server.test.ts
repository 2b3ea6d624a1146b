import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, type Transport } from '@modelcontextprotocol/client';
import { createScriptedServer, type MemoryTransport, rpcError } from '../../src/testing/index.js';

const info = { name: 'host', version: '1.0.0' };
const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const;

for (const protocolVersion of ['2025-06-18', '2025-11-25'] as const) {
  test(`the official client initializes with a legacy server of ${protocolVersion}`, async () => {
    const server = createScriptedServer({ protocolVersion, serverInfo: { name: 'files', version: '3' } });
    const client = new Client(info, { capabilities: { roots: {} } });
    await client.connect(server.transport);
    assert.deepEqual(client.getServerVersion(), { name: 'files', version: '3' });
    assert.equal(client.getNegotiatedProtocolVersion(), protocolVersion);
    assert.deepEqual(server.clientCapabilities, { roots: {} });
    await server.expect('notifications/initialized');
    await client.close();
    assert.equal(server.closed, true);
  });
}

test('the official client discovers a modern server', async () => {
  const server = createScriptedServer({ era: 'modern', tools: [{ name: 'add', inputSchema: { type: 'object' } }] });
  const client = new Client(info, { ...modern, capabilities: { elicitation: { form: {} } } });
  await client.connect(server.transport);
  assert.equal(client.getProtocolEra(), 'modern');
  assert.deepEqual(
    (await client.listTools()).tools.map((tool) => tool.name),
    ['add'],
  );
  assert.deepEqual(server.clientCapabilities, { elicitation: { form: {} } });
  await client.close();
});

test('a client that negotiates falls back to the handshake of a legacy server', async () => {
  const server = createScriptedServer();
  const client = new Client(info, { versionNegotiation: { mode: 'auto' } });
  await client.connect(server.transport);
  assert.equal(client.getProtocolEra(), 'legacy');
  assert.deepEqual(
    server.frames.map((frame) => frame.method),
    ['server/discover', 'initialize', 'notifications/initialized'],
  );
  await client.close();
});

test('a modern server refuses a legacy handshake and a request without its envelope', async () => {
  const server = createScriptedServer({ era: 'modern' });
  await assert.rejects(new Client(info).connect(server.transport), { code: -32022 });
  const raw = createScriptedServer({ era: 'modern' });
  const got = received(raw.transport);
  await raw.transport.start();
  await raw.transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  assert.equal((got[0] as { error: { code: number } }).error.code, -32602);
});

test('a script asks the client in the middle of a call, under an id of its own choice', async () => {
  const server = createScriptedServer();
  server.onCall('tools/call', async () => {
    const said = await server.request('roots/list', undefined, { id: 'r-1' });
    return { content: [{ type: 'text', text: JSON.stringify(said.result) }] };
  });
  const client = new Client(info, { capabilities: { roots: {} } });
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///work' }] }));
  await client.connect(server.transport);
  const { content } = await client.callTool({ name: 'list', arguments: {} });
  assert.deepEqual(content, [{ type: 'text', text: '{"roots":[{"uri":"file:///work"}]}' }]);
  assert.equal(server.answersTo('r-1').length, 1);
  await client.close();
});

test('a modern script asks by input_required and reads the answers of the retry', async () => {
  const server = createScriptedServer({ era: 'modern' });
  server.onCall('tools/call', (request) =>
    request.params?.inputResponses === undefined
      ? { resultType: 'input_required', requestState: 's-1', inputRequests: { who: { method: 'roots/list' } } }
      : { resultType: 'complete', content: [{ type: 'text', text: JSON.stringify(request.params.inputResponses) }] },
  );
  const client = new Client(info, { ...modern, capabilities: { roots: {} } });
  client.setRequestHandler('roots/list', () => ({ roots: [] }));
  await client.connect(server.transport);
  const { content } = await client.callTool({ name: 'list', arguments: {} });
  assert.deepEqual(content, [{ type: 'text', text: '{"who":{"roots":[]}}' }]);
  assert.equal((await server.expect((frame) => frame.params?.requestState === 's-1')).method, 'tools/call');
  await client.close();
});

test('a script refuses by rpcError, thrown or returned, and anything else it throws is an internal error', async () => {
  const server = createScriptedServer();
  server
    .onCall('tools/call', () => rpcError(-32042, 'no', { why: 1 }))
    .onCall('resources/read', () => {
      throw rpcError(-32002, 'gone');
    })
    .onCall('*', () => {
      throw new Error('boom');
    });
  const got = received(server.transport);
  await server.transport.start();
  const methods = ['tools/call', 'resources/read', 'prompts/get'];
  for (const [id, method] of methods.entries()) await server.transport.send({ jsonrpc: '2.0', id, method });
  await new Promise((resolve) => setImmediate(resolve));
  const errors = got.map((frame) => (frame as { error: { code: number; data?: unknown } }).error);
  assert.deepEqual(
    errors.map((error) => [error.code, error.data]),
    [
      [-32042, { why: 1 }],
      [-32002, undefined],
      [-32603, undefined],
    ],
  );
});

test('a script that says nothing leaves the request open until the test responds', async () => {
  const server = createScriptedServer();
  server.onCall('tools/call', () => undefined);
  const client = new Client(info);
  await client.connect(server.transport);
  const call = client.callTool({ name: 'slow', arguments: {} });
  const { id } = await server.expect('tools/call');
  server.respond(id ?? '', { content: [] });
  assert.deepEqual((await call).content, []);
  await client.close();
});

test('ids keep their type, and a live id is refused a second request', async () => {
  const server = createScriptedServer();
  const got = received(server.transport);
  await server.transport.start();
  const five = server.request('ping', {}, { id: 5 });
  const text = server.request('ping', {}, { id: '5' });
  assert.throws(() => server.request('ping', {}, { id: 5 }), /unanswered/);
  assert.deepEqual(server.unanswered, [5, '5']);
  assert.equal(got.length, 2);
  await server.transport.send({ jsonrpc: '2.0', id: '5', result: { said: 'text' } });
  await server.transport.send({ jsonrpc: '2.0', id: 5, result: { said: 'number' } });
  assert.deepEqual((await five).result, { said: 'number' });
  assert.deepEqual((await text).result, { said: 'text' });
});

test('JSON text goes out as it is spelled, own __proto__ keys included', async () => {
  const server = createScriptedServer();
  const got = received(server.transport);
  server.send('{"jsonrpc":"2.0","method":"notifications/message","params":{"__proto__":{"polluted":true}}}');
  assert.equal(got.length, 0, 'frames before start wait for it');
  await server.transport.start();
  const params = (got[0] as { params: object }).params;
  assert.deepEqual(Object.keys(params), ['__proto__']);
  assert.equal((params as { polluted?: boolean }).polluted, undefined);
});

test('whatever a test waits for rejects when the line closes, and the line can be opened again', async () => {
  const server = createScriptedServer();
  await server.transport.start();
  const waiting = [server.request('ping'), server.expect('notifications/never')];
  server.close();
  for (const each of waiting) await assert.rejects(each, /closed/);
  await assert.rejects(server.transport.send({ jsonrpc: '2.0', method: 'x' }), /closed/);
  await server.transport.start();
  await server.transport.send({ jsonrpc: '2.0', method: 'x' });
  assert.equal((await server.expect('x')).method, 'x');
});

test('the transport fits the official type and has no stream per request', () => {
  const transport: Transport = createScriptedServer().transport;
  assert.equal('hasPerRequestStream' in transport, false);
  assert.equal('resumeStream' in transport, false);
  assert.equal('stderr' in transport, false);
});

function received(transport: MemoryTransport): unknown[] {
  const got: unknown[] = [];
  transport.onmessage = (message) => got.push(message);
  return got;
}
