/** The life of a session on its transport: before the handshake, while it ends, and the next one on the same object. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import type { ScriptedServer } from '../../src/testing/index.js';
import { openRig, settle } from '../support/rig.js';

const form = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const url = { mode: 'url', message: 'm', url: 'https://x.example/', elicitationId: 'e' };
const done = { content: [{ type: 'text', text: 'done' }] };

const initialised = (protocolVersion: string): object => ({
  protocolVersion,
  capabilities: { tools: {} },
  serverInfo: { name: 's', version: '1' },
});

test('B1, B19: a request before the handshake is answered runs no callback; a legacy server is told, once', async () => {
  const early = (server: ScriptedServer): void => {
    server.onCall('server/discover', (_, self) => {
      self.send({ jsonrpc: '2.0', id: 'probing', method: 'elicitation/create', params: form });
      self.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'probing' } });
      throw new Error('what is that?');
    });
    server.onCall('initialize', ({ id }, self) => {
      self.send({ jsonrpc: '2.0', id: 'early', method: 'elicitation/create', params: form });
      self.send({ jsonrpc: '2.0', id: 'ping', method: 'ping' });
      self.respond(id, initialised('2025-11-25'));
      return undefined;
    });
  };
  const rig = await openRig({ script: early });
  await settle();
  assert.equal(rig.runs.length, 0);
  assert.deepEqual(
    rig.server.answersTo('early').map(({ error }) => error?.code),
    [-32601],
  );
  assert.equal(rig.server.answersTo('probing').length, 0);
  assert.equal(rig.server.answersTo('ping').length, 1);
  assert.equal(rig.connection.stats().dropped.request, 2);
  await rig.close();
});

test('B13, B40: requests in the tick of the initialize response follow the revision it negotiated', async () => {
  const rig = await openRig({
    script: (server) =>
      server.onCall('initialize', ({ id }, self) => {
        self.respond(id, initialised('2025-06-18'));
        self.send({ jsonrpc: '2.0', id: 'form', method: 'elicitation/create', params: form });
        self.send({ jsonrpc: '2.0', id: 'url', method: 'elicitation/create', params: url });
        return undefined;
      }),
  });
  await (await rig.run(0)).returns({ action: 'decline' });
  assert.deepEqual(rig.server.answersTo('form')[0]?.result, { action: 'decline' });
  assert.equal(rig.server.answersTo('url')[0]?.error?.code, -32602);
  await rig.close();
});

test('B20: closing kills the callbacks at once, however long the transport takes, and what trails in starts none', async () => {
  const rig = await openRig();
  const { transport } = rig.server;
  const closeLine = transport.close.bind(transport);
  let finish = (): void => {};
  transport.close = async () => {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    await closeLine();
  };
  rig.ask('elicitation/create', form, { id: 'q' });
  const run = await rig.run(0);
  const closing = rig.connection.close();
  assert.equal(run.killed, 'closed');
  rig.ask('elicitation/create', form, { id: 'late' });
  await settle();
  assert.equal(rig.runs.length, 1);
  finish();
  await closing;
  assert.equal(rig.server.answersTo('q').length + rig.server.answersTo('late').length, 0);
  await assert.rejects(rig.connection.callTool({ name: 't' }), { kind: 'closed' });
  await assert.rejects(rig.connection.awaitTask('t'), { kind: 'closed' });
});

test('B19, B20: reconnecting on the same transport object fails what was pending, starts with empty books, and keeps budget and state', async () => {
  const rig = await openRig({
    limits: { inputRateLimit: { perSecond: 0.001, burst: 3 } },
    script: (server) => server.onCall('tools/call', () => undefined),
  });
  const stateful = rig.server.request('elicitation/create', form);
  await (await rig.run(0)).returns({ action: 'decline' }, { next: { seen: 1 } });
  await stateful;
  const pending = assert.rejects(rig.connection.callTool({ name: 't' }), { kind: 'closed' });
  await rig.server.expect('tools/call');
  rig.ask('elicitation/create', form, { id: 'left over' });
  const left = await rig.run(1);
  rig.server.close();
  await pending;
  await settle();
  assert.equal(left.killed, 'closed');
  assert.equal(rig.clock.pending, 0);
  assert.equal(rig.server.frames.filter(({ method }) => method === 'notifications/cancelled').length, 0);
  await assert.rejects(rig.connection.callTool({ name: 't' }), { kind: 'closed' }, 'not the words of the client');

  const again = new Client({ name: 'again', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await again.connect(rig.server.transport as never);
  assert.equal(rig.connection.era, 'legacy');
  rig.ask('elicitation/create', form, { id: 'left over' });
  const fresh = await rig.run(2);
  assert.deepEqual(fresh.task.state, { seen: 1 });
  assert.equal(fresh.task.context.relatedRequestId, null);
  await left.returns({ action: 'accept', content: {} });
  assert.equal(rig.server.answersTo('left over').length, 0, 'an answer of the old session is for nobody');
  await fresh.returns({ action: 'decline' });
  assert.equal(rig.server.answersTo('left over').length, 1);
  assert.equal((await rig.server.request('elicitation/create', form)).error?.code, -32000, 'the budget is spent');
  await rig.close();
});

test('B20: what a dead session could not send holds up nothing of the next one on the same transport', async () => {
  let dead = false;
  const rig = await openRig({
    callbacks: ['roots'],
    limits: { roots: { listChanged: true } },
    script({ transport }) {
      const send = transport.send.bind(transport);
      transport.send = (message, options) => (dead ? new Promise(() => {}) : send(message, options));
    },
  });
  dead = true;
  rig.ask('ping', undefined, { id: 'unanswered ping' });
  rig.ask('elicitation/create', form, { id: 'unanswered refusal' });
  rig.connection.rootsChanged();
  await settle();
  rig.server.close();
  await settle();
  dead = false;
  await new Client({ name: 'again', version: '1' }).connect(rig.server.transport as never);
  assert.deepEqual((await rig.server.request('ping')).result, {});
  assert.equal((await rig.server.request('elicitation/create', form)).error?.code, -32601);
  await rig.close();
});

test('B11: a legacy session that a client takes up again by its id is answered, by the revision its transport was told', async () => {
  for (const [protocolVersion, code] of [
    ['2025-06-18', -32602],
    ['2025-11-25', undefined],
  ] as const) {
    const rig = await openRig({
      script: ({ transport }) => Object.assign(transport, { sessionId: 'old', protocolVersion }),
    });
    const call = rig.client.callTool({ name: 't' }).catch(() => {});
    await rig.server.expect('tools/call');
    rig.ask('elicitation/create', url, { id: 'u' });
    await settle();
    assert.equal(rig.server.answersTo('u')[0]?.error?.code, code);
    assert.equal(rig.runs.length, code === undefined ? 1 : 0);
    await call;
    await rig.close();
  }
});

test('B59: a call given up right after rootsChanged is cancelled after it was sent, not before', async () => {
  const rig = await openRig({
    limits: { roots: { listChanged: true } },
    script: (server) => server.onCall('tools/call', () => undefined),
  });
  const { transport } = rig.server;
  rig.connection.rootsChanged();
  await Promise.all([
    transport.send({ jsonrpc: '2.0', id: 900, method: 'tools/call', params: { name: 't' } }),
    transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 900 } }),
  ]);
  const sent = rig.server.frames.map(({ method }) => method).slice(-3);
  assert.deepEqual(sent, ['notifications/roots/list_changed', 'tools/call', 'notifications/cancelled']);
  assert.deepEqual(rig.connection.pendingCalls(), []);
  await rig.close();
});

test('B15: a request that its call left behind is given up with it, since no clock of its own runs', async () => {
  const rig = await openRig({ script: (server) => server.onCall('tools/call', () => undefined) });
  const call = rig.connection.call((options) =>
    Promise.race([
      rig.client.callTool({ name: 'slow' }, options as never),
      rig.client.callTool({ name: 'quick' }, options as never),
    ]),
  );
  const slow = await rig.server.expect((frame) => frame.params?.name === 'slow');
  const quick = await rig.server.expect((frame) => frame.params?.name === 'quick');
  rig.server.respond(quick.id as never, done);
  await call;
  const cancelled = await rig.server.expect('notifications/cancelled');
  assert.equal(cancelled.params?.requestId, slow.id);
  assert.deepEqual(rig.connection.pendingCalls(), []);
  await rig.close();
});
