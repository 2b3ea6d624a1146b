/** The main job on real threads: what the server gets, whatever a callback does. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { type Bulkhead, createBulkhead } from '../../src/bulkhead.js';
import { createScriptedServer, type ScriptedServer } from '../../src/testing/index.js';
import { form, openHost, various } from '../support/host.js';

const internal = { code: -32603, message: 'The host could not answer this request' };

const rows: readonly (readonly [act: string, properties: object, expected: object])[] = [
  ['accept', {}, { result: { action: 'accept', content: {} } }],
  ['throw', {}, { error: internal }],
  ['throw undefined', {}, { error: internal }],
  ['reject null', {}, { error: internal }],
  ['undefined', {}, { error: internal }],
  ['proxy', {}, { error: internal }],
  ['exit', {}, { error: internal }],
  ['refuse', {}, { error: { code: 4711, message: 'not today', data: { until: 'tomorrow' } } }],
  ['malformed refusal', {}, { error: internal }],
  ['huge', { a: { type: 'string' } }, { error: internal }],
];

test('B6, B7, B8, B18, case 65, case 66, case 67: exactly one answer, with fixed texts, whatever a callback does; the next one is answered', async () => {
  const { bulkhead, connection, server } = await openHost();
  const records: string[] = [];
  connection.on('input', (record) => records.push(`${record.outcome} ${record.fault?.message ?? ''}`));
  for (const [act, properties, expected] of rows) {
    const { jsonrpc: _jsonrpc, id, ...answer } = await server.request('elicitation/create', form(act, properties));
    assert.deepEqual(answer, expected, act);
    assert.equal(server.answersTo(id).length, 1, act);
  }
  const next = await server.request('elicitation/create', form('accept'));
  assert.equal(next.error, undefined);
  assert.ok(records[1]?.includes('id_rsa'), 'the host sees what was thrown');
  assert.ok(!JSON.stringify(server.frames).includes('id_rsa'), 'the server never does');
  await bulkhead.close();
});

test('B5, B10, B20: a callback that spins delays neither ping nor other requests nor the next callback, and is answered at its deadline', async () => {
  const { bulkhead, connection, server } = await openHost({ handlerTimeout: { elicitation: 1_500 } });
  const order: string[] = [];
  const spinning = server.request('elicitation/create', form('spin')).then((answer) => {
    order.push('spin');
    return answer;
  });
  await server.request('ping').then(() => order.push('ping'));
  await server.request('roots/list').then(({ result }) => {
    assert.deepEqual(result, { roots: [{ uri: 'file:///scripted' }] });
    order.push('roots');
  });
  await connection.ping().then(() => order.push('our ping'));
  assert.deepEqual((await spinning).error, internal);
  const after = await server.request('elicitation/create', form('accept'));
  assert.equal(after.error, undefined);
  assert.deepEqual(order, ['ping', 'roots', 'our ping', 'spin']);
  assert.equal(bulkhead.stats().isolation[0]?.kills, 1);
  await bulkhead.close();
});

test('B11 for real: a call of timeout 250 whose server asks twice for 400 ms each succeeds', async () => {
  const { bulkhead, connection, server } = await openHost({
    script: (scripted) =>
      scripted.onCall('tools/call', async () => {
        const answers = [
          await scripted.request('elicitation/create', form('wait')),
          await scripted.request('elicitation/create', form('wait')),
        ];
        return { content: [{ type: 'text', text: String(answers.filter(({ error }) => error === undefined).length) }] };
      }),
  });
  const result = await connection.callTool({ name: 't' }, { timeout: 250 });
  assert.deepEqual(result.content, [{ type: 'text', text: '2' }]);
  assert.equal(server.unanswered.length, 0);
  await bulkhead.close();
});

test('B12 for real: with maxTotalTimeout 300 it fails before the second question, and the callback is dead', async () => {
  const order: string[] = [];
  const { bulkhead, connection, server } = await openHost({
    script: (scripted) =>
      scripted.onCall('tools/call', async () => {
        order.push(
          (await scripted.request('elicitation/create', form('wait'))).error === undefined ? 'first answered' : 'first killed',
        );
        order.push(
          (await scripted.request('elicitation/create', form('wait'))).error === undefined ? 'second answered' : 'second killed',
        );
        return { content: [] };
      }),
  });
  await connection.callTool({ name: 't' }, { timeout: 250, maxTotalTimeout: 300 }).catch((error) => order.push(error.kind));
  assert.equal(order.includes('timeout'), true);
  assert.equal(order.includes('first answered'), false);
  assert.equal(bulkhead.stats().isolation[0]?.kills, 1);
  assert.ok(server.frames.some(({ method }) => method === 'notifications/cancelled'));
  await bulkhead.close();
});

test('state is committed on success only, kept across reconnects of a server id, and not shared', async () => {
  const { bulkhead, connection, server } = await openHost();
  const n = { n: { type: 'integer' } };
  assert.deepEqual((await server.request('elicitation/create', form('count', n))).result, {
    action: 'accept',
    content: { n: 1 },
  });
  await server.request('elicitation/create', form('count and fail', n));
  assert.deepEqual((await server.request('elicitation/create', form('count', n))).result, {
    action: 'accept',
    content: { n: 2 },
  });
  // An answer that the guard refuses commits nothing either.
  await server.request('elicitation/create', form('count', {}));
  assert.deepEqual((await server.request('elicitation/create', form('count', n))).result, {
    action: 'accept',
    content: { n: 3 },
  });
  await connection.close();
  const again = await openOn(bulkhead, 'scripted');
  assert.deepEqual((await again.request('elicitation/create', form('count', n))).result, { action: 'accept', content: { n: 4 } });
  const other = await openOn(bulkhead, 'other');
  assert.deepEqual((await other.request('elicitation/create', form('count', n))).result, { action: 'accept', content: { n: 1 } });
  await bulkhead.close();
});

test('host services answer callbacks with plain data', async () => {
  const asked: unknown[] = [];
  const host = {
    ask: async (data: unknown, { serverId }: { serverId: string }) => {
      asked.push([data, serverId]);
      return 'yes';
    },
  };
  const { bulkhead, server } = await openHost({ host });
  const { result } = await server.request('elicitation/create', form('ask', { seen: { type: 'string' } }));
  assert.deepEqual([result, asked], [{ action: 'accept', content: { seen: 'yes' } }, [[{ q: 1 }, 'scripted']]]);
  await bulkhead.close();
});

test('a connection may have a handler of its own; a broken one rejects the client’s connect with load', async () => {
  const bulkhead = await createBulkhead();
  const own = createScriptedServer();
  bulkhead.attach(own.transport as never, { serverId: 'own', handler: various });
  await new Client({ name: 'c', version: '1' }).connect(own.transport as never);
  assert.deepEqual(own.clientCapabilities?.elicitation, { form: {}, url: {} });
  assert.equal((await own.request('elicitation/create', form('accept'))).error, undefined);
  const broken = createScriptedServer();
  bulkhead.attach(broken.transport as never, { serverId: 'broken', handler: '/does/not/exist.mjs' });
  await assert.rejects(new Client({ name: 'c', version: '1' }).connect(broken.transport as never), {
    kind: 'load',
    message: /exist\.mjs/,
  });
  await bulkhead.close();
});

test('B12: connecting to a server that never answers ends after the timeout that connect was given, not the client’s own', async () => {
  const bulkhead = await createBulkhead();
  let closed = 0;
  const silent = { start: async () => {}, send: async () => {}, close: async () => void closed++ };
  await assert.rejects(
    bulkhead.connect(silent, { serverId: 'silent', timeout: 30, clientOptions: { versionNegotiation: { mode: 'legacy' } } }),
    /timed out/,
  );
  assert.ok(closed > 0);
  await bulkhead.close();
});

test('closing with wait lets what runs finish; the default kills', async () => {
  const waiting = await openHost();
  const patient = waiting.server.request('elicitation/create', form('wait'));
  await waiting.server.request('ping');
  await waiting.bulkhead.close({ wait: true });
  assert.equal((await patient).error, undefined);
  const killing = await openHost();
  const lost = assert.rejects(killing.server.request('elicitation/create', form('hang')));
  await killing.server.request('ping');
  await killing.bulkhead.close();
  await lost;
  await assert.rejects(killing.bulkhead.reload(), { kind: 'closed', message: 'the bulkhead is closed' });
});

async function openOn(bulkhead: Bulkhead, serverId: string): Promise<ScriptedServer> {
  const server = createScriptedServer();
  const client = new Client({ name: 'host', version: '1' });
  bulkhead.attach(server.transport as never, { serverId, client: client as never });
  await client.connect(server.transport as never);
  return server;
}

test('closing ends the threads at once, also where a transport never closes', async () => {
  const { bulkhead, connection, server } = await openHost({
    script: ({ transport }) => {
      transport.close = () => new Promise(() => {});
    },
  });
  server.request('elicitation/create', form('spin')).catch(() => {});
  void bulkhead.close();
  while (bulkhead.stats().isolation.some(({ cells, spares, undead }) => cells + spares + undead > 0))
    await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(connection.stats().running, 0);
});

test('B1: a module that exports none of the names is legal, advertises nothing, and is warned about', async () => {
  const warned = once(process, 'warning') as Promise<[Error & { code?: string }]>;
  const bulkhead = await createBulkhead({ handler: new URL('../../../test/fixtures/misspelt.mjs', import.meta.url) });
  assert.deepEqual(bulkhead.capabilities, {});
  const [warning] = await warned;
  assert.deepEqual([warning.code, /misspelt\.mjs.*handleElicitation/.test(warning.message)], ['MCP_BULKHEAD_HANDLER', true]);
  await bulkhead.close();
});
