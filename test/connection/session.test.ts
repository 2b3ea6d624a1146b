import assert from 'node:assert/strict';
import { tracingChannel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { advertise, differences } from '../../src/era/capabilities.js';
import { resolveLimits } from '../../src/options.js';
import type { ScriptedServer } from '../../src/testing/index.js';
import { openRig, settle } from '../support/rig.js';

const form = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };

test('B1, B2, B3: capabilities by exports, modes and switches, in both eras', () => {
  const off = resolveLimits({});
  const on = resolveLimits({ sampling: { context: true, tools: true }, roots: { listChanged: true } });
  const all = { callbacks: ['sampling', 'elicitation', 'roots', 'log'], elicitationModes: ['url'] } as const;
  assert.deepEqual(advertise({ callbacks: ['log', 'notification'], elicitationModes: [] }, on, 'legacy'), {});
  assert.deepEqual(advertise(all, off, 'legacy'), { sampling: {}, elicitation: { url: {} }, roots: {} });
  assert.deepEqual(advertise(all, on, 'legacy'), {
    sampling: { context: {}, tools: {} },
    elicitation: { url: {} },
    roots: { listChanged: true },
  });
  assert.deepEqual(advertise(all, on, 'modern'), { sampling: { context: {}, tools: {} }, elicitation: { url: {} }, roots: {} });
});

test('B3: elicitation given as {} means the form alone, and the order of modes means nothing', () => {
  const both = { elicitation: { form: {}, url: {} } };
  assert.deepEqual(differences({ elicitation: {} }, { elicitation: { form: {} } }), []);
  assert.deepEqual(differences({ elicitation: { url: {}, form: {} } }, both), []);
  assert.deepEqual(differences({ elicitation: {} }, both), ['elicitation']);
  assert.deepEqual(differences({ elicitation: {}, sampling: {}, roots: {} }, { roots: {} }), ['sampling', 'elicitation']);
});

test('a client that was built with other input capabilities gets a warning, ours are advertised, and the rest is left alone', async () => {
  const warned = once(process, 'warning') as Promise<[Error & { code?: string }]>;
  const capabilities = { elicitation: { url: {} }, experimental: { x: {} } };
  const rig = await openRig({
    callbacks: ['elicitation'],
    modes: ['form'],
    client: new Client({ name: 'c', version: '1' }, { capabilities }),
  });
  assert.deepEqual(rig.server.clientCapabilities, { elicitation: { form: {} }, experimental: { x: {} } });
  const [warning] = await warned;
  assert.equal(warning.code, 'MCP_BULKHEAD_CAPABILITIES');
  assert.match(warning.message, /elicitation/);
  await rig.close();
});

test('case 34: under 2025-06-18 the client is form-only and tool-less, whatever was offered', async () => {
  const rig = await openRig({ revision: '2025-06-18', limits: { sampling: { tools: true, allowIdle: true } } });
  const url = await rig.server.request('elicitation/create', {
    mode: 'url',
    message: 'm',
    url: 'https://x.example/',
    elicitationId: 'e',
  });
  const tools = await rig.server.request('sampling/createMessage', {
    messages: [{ role: 'user', content: { type: 'text', text: 'x' } }],
    maxTokens: 1,
    tools: [],
  });
  assert.deepEqual([url.error?.code, tools.error?.code], [-32602, -32602]);
  await rig.close();
});

test('B1, B27: the envelope of somebody else’s request, handed on by a gateway, neither ends a legacy session nor speaks for the client', async () => {
  const strange = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { sampling: { tools: {} }, elicitation: { url: {} } },
    'io.modelcontextprotocol/clientInfo': { name: 'stranger', version: '9' },
    trace: 't',
  };
  for (const era of ['legacy', 'modern'] as const) {
    const script = (server: ScriptedServer): void =>
      void server.onCall('tools/call', () => ({ resultType: 'complete', content: [] }));
    const rig = await openRig({ era, script, callbacks: ['elicitation'], modes: ['form'] });
    await rig.connection.callTool({ name: 't' }, { meta: strange });
    const { trace, ...envelope } = (await rig.server.expect('tools/call')).params?._meta ?? {};
    assert.equal(trace, 't');
    assert.equal(JSON.stringify(envelope).includes('stranger'), false);
    assert.deepEqual(rig.server.clientCapabilities?.elicitation, { form: {} });
    await rig.connection.callTool({ name: 't', _meta: strange });
    assert.equal(rig.connection.era, era);
    if (era === 'legacy') {
      const asked = rig.server.request('elicitation/create', form);
      await (await rig.run(0)).returns({ action: 'decline' });
      assert.deepEqual((await asked).result, { action: 'decline' });
    }
    await rig.close();
  }
});

test('each input request is one span of the tracing channel, with its record and no values', async () => {
  const seen: [string, object][] = [];
  const note = (name: string) => (message: object) => void seen.push([name, message]);
  const handlers = {
    start: note('start'),
    end: note('end'),
    asyncStart: note('asyncStart'),
    asyncEnd: note('asyncEnd'),
    error: note('error'),
  };
  const channel = tracingChannel('mcp-bulkhead:input');
  channel.subscribe(handlers as never);
  const rig = await openRig();
  const secret = {
    ...form,
    message: 'SECRET-QUESTION',
    requestedSchema: { type: 'object', properties: { a: { type: 'string' } } },
  };
  const asked = rig.server.request('elicitation/create', secret);
  await (await rig.run(0)).returns({ action: 'accept', content: { a: 'SECRET-ANSWER' } });
  await asked;
  channel.unsubscribe(handlers as never);
  assert.deepEqual(
    seen.map(([name]) => name),
    ['start', 'end', 'asyncStart', 'asyncEnd'],
  );
  assert.equal(new Set(seen.map(([, message]) => message)).size, 1, 'one object per span');
  const { record } =
    seen.map(([, message]) => message as { record: { outcome: string; kind: string } })[3] ?? assert.fail('four events');
  assert.deepEqual([record.outcome, record.kind], ['answered', 'elicitation']);
  assert.ok(!JSON.stringify(seen).includes('SECRET'));
  await rig.close();
});

test('B20: when the session on a transport ends, its books are empty and the era is unknown again', async () => {
  const rig = await openRig();
  rig.ask('elicitation/create', form, { id: 'left over' });
  const run = await rig.run(0);
  let closes = 0;
  rig.connection.on('close', () => closes++);
  rig.server.close();
  await settle();
  assert.deepEqual([run.killed, closes, rig.connection.era], ['closed', 1, undefined]);
  assert.deepEqual([rig.connection.stats().running, rig.connection.pendingCalls()], [0, []]);
  await rig.close();
});

test('a listener that throws hurts neither its siblings nor the connection', async () => {
  const warned = once(process, 'warning') as Promise<[Error & { code?: string }]>;
  const rig = await openRig({ callbacks: [] });
  rig.connection.on('input', () => {
    throw new Error('listener');
  });
  const records: unknown[] = [];
  const forget = rig.connection.on('input', (record) => records.push(record));
  assert.equal((await rig.server.request('roots/list')).error?.code, -32601);
  assert.equal((await warned)[0].code, 'MCP_BULKHEAD_LISTENER');
  forget();
  await rig.server.request('roots/list');
  assert.equal(records.length, 1);
  assert.throws(() => rig.connection.on('inputs' as never, () => {}), /no such event: inputs \(there are: notification, log/);
  await rig.close();
});
