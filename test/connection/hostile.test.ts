/** What a malicious server can try on the books of a connection. Each test is a game and its end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { bodyOf } from '../../src/connection/wire.js';
import { openRig, type Rig, settle } from '../support/rig.js';

const form = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const sampling = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 10 };
const done = { content: [{ type: 'text', text: 'done' }] };
const accept = { action: 'accept', content: {} } as const;

/** A rig whose `tools/call` stays open until the test responds. */
async function openCall(options: Parameters<typeof openRig>[0] = {}): Promise<Rig> {
  return openRig({ ...options, script: (server) => server.onCall('tools/call', () => undefined) });
}

/** JSON text of a value nested so deeply that a recursive walk overflows the stack. */
const deep = (levels = 20_000): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

function assertEmpty(rig: Rig): void {
  assert.equal(rig.connection.stats().running, 0);
  assert.deepEqual(rig.connection.pendingCalls(), []);
  assert.equal(rig.clock.pending, 0);
}

test('B19: odd ids are echoed as they came, each answered once', async () => {
  const rig = await openRig({ limits: { maxServerRequests: 20, inputRateLimit: { perSecond: 100, burst: 100 } } });
  const ids = [0, -1, 1.5, 1e21, 2 ** 53, '', '__proto__', 'constructor', '5', 5, '\u0000', 'x'.repeat(100_000), '💥'];
  for (const id of ids) rig.ask('roots/list', undefined, { id });
  await rig.run(ids.length - 1);
  for (const run of rig.runs) await run.returns({ roots: [] });
  for (const id of ids) assert.deepEqual(rig.server.answersTo(id)[0]?.result, { roots: [] });
  assert.equal(rig.server.unanswered.length, 0);
  assertEmpty(rig);
  await rig.close();
});

test('B17, B19: an id that is null, a boolean or an object is no request of ours and spends nothing', async () => {
  const rig = await openRig();
  for (const id of [null, true, {}, []]) rig.server.send({ jsonrpc: '2.0', id, method: 'roots/list' });
  await settle();
  assert.equal(rig.runs.length + rig.records.length, 0);
  assertEmpty(rig);
  await rig.close();
});

test('B8, B19: params nested 20 000 levels deep are refused like others, live twin or not', async () => {
  const rig = await openRig({ limits: { sampling: { allowIdle: true } } });
  const frame = (id: string, method: string, params: string): string =>
    `{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":${params}}`;
  rig.server.send(frame('a', 'sampling/createMessage', `{"messages":${deep()},"maxTokens":1}`));
  rig.server.send(frame('b', 'elicitation/create', `{"message":"m","requestedSchema":${deep()}}`));
  await settle();
  for (const id of ['a', 'b']) assert.equal(rig.server.answersTo(id)[0]?.error?.code, -32602);
  rig.ask('roots/list', undefined, { id: 'c' });
  const run = await rig.run(0);
  rig.server.send(frame('c', 'roots/list', `{"x":${deep()}}`));
  rig.server.send(frame('c', 'roots/list', `{"x":${deep()}}`));
  await settle();
  assert.equal(rig.connection.stats().dropped.request, 2);
  await run.returns({ roots: [] });
  assert.equal(rig.server.answersTo('c').length, 1);
  assertEmpty(rig);
  await rig.close();
});

test('B19: many tiny twins of one huge request cost the walk through it once, and their names are cleaned for the host', async () => {
  const rig = await openRig();
  const _meta = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`key ${n}`, 'x']));
  rig.ask('elicitation/create', { ...form, _meta }, { id: 'huge' });
  const run = await rig.run(0);
  const took = (fn: () => unknown): number => {
    const began = performance.now();
    fn();
    return performance.now() - began;
  };
  const walk = took(() => bodyOf({ ...form, _meta }));
  const twin = { jsonrpc: '2.0', id: 'huge', method: 'elicitation/create', params: form };
  const twins = took(() => {
    for (let n = 0; n < 100; n++) rig.server.send(twin);
  });
  assert.ok(twins < 20 * walk, `${twins} ms for twins, ${walk} ms for one walk`);
  rig.server.send({ ...twin, method: 'a\u001b[2Jb' });
  assert.equal(rig.dropped.at(-1)?.method, 'a[2Jb', 'case 99');
  await run.returns(accept);
  await rig.close();
});

test('B19, B25, B28: what is kept of a question, to know it again, is small whatever it was', () => {
  const [one, same, other] = [
    bodyOf({ a: 'x'.repeat(2 ** 20), b: 1 }),
    bodyOf({ b: 1, a: 'x'.repeat(2 ** 20) }),
    bodyOf({ a: 'x' }),
  ];
  assert.ok(one !== undefined && one.length < 100);
  assert.deepEqual(
    [one === same, one === other, bodyOf('1') === bodyOf(1), bodyOf(undefined) === bodyOf(null)],
    [true, false, false, true],
  );
});

test('B22, B25: a round nested 20 000 levels deep fails its call at once with protocol', async () => {
  const rig = await openCall({ era: 'modern' });
  const nested = [1_000, 4_000, 7_000, 20_000].map((levels) => `{"a":{"method":"elicitation/create","params":${deep(levels)}}}`);
  for (const inputRequests of [...nested, `{"a":${deep()}}`, deep()]) {
    const failed = assert.rejects(rig.connection.callTool({ name: 't' }), { kind: 'protocol' });
    const { id } = await rig.server.expect('tools/call');
    rig.server.send(
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"input_required","inputRequests":${inputRequests}}}`,
    );
    await failed;
  }
  assert.equal(rig.runs.length, 0);
  assertEmpty(rig);
  await rig.close();
});

test('B22: an answer to a live leg that is neither a result nor an error fails the call with protocol', async () => {
  const odd = [{ result: null }, { result: 'x' }, { result: [] }, {}, { error: null }, { error: [] }, { error: 'x' }];
  const oddErrors = [{ error: {} }, { error: { code: '1', message: 'm' } }, { error: { code: 1.5, message: 'm' } }];
  const both = [{ result: done, error: { code: 1, message: 'm' } }, { result: { _meta: null } }];
  for (const era of ['legacy', 'modern'] as const) {
    const rig = await openCall({ era });
    for (const members of [...odd, ...oddErrors, ...both]) {
      const failed = assert.rejects(rig.connection.callTool({ name: 't' }), { kind: 'protocol' }, JSON.stringify(members));
      const { id } = await rig.server.expect('tools/call');
      rig.server.send({ jsonrpc: '2.0', id, ...members });
      await failed;
    }
    assertEmpty(rig);
    await rig.close();
  }
});

/** Answers the official clients take for one to their call, or would take but for what is odd about them. */
const answers: readonly ((id: number, result: object) => object | string)[] = [
  (id, result) => ({ id: String(id), result }),
  (id, result) => ({ id: ` 0x${id.toString(16)} `, result }),
  (id, result) => ({ id: `${id}.0`, result }),
  (id, result) => ({ id, result, error: null }),
  (id, result) => ({ id, result, params: {}, more: 1 }),
  (id, result) => ({ jsonrpc: '1.0', id, result }),
  (id, result) => `{"jsonrpc":"2.0","id":${id},"__proto__":{},"result":${JSON.stringify(result)}}`,
];

test('B13, B36: a call that an odd answer ends for the client ends in our books too, whatever its id looks like', async () => {
  for (const client of [undefined, new FirstClient({ name: 'first', version: '1' })]) {
    const rig = await openCall(client && { client: client as never });
    for (const answer of answers) {
      const call = rig.client.callTool({ name: 't' });
      const { id } = await rig.server.expect('tools/call');
      rig.server.send(answer(id as number, done));
      assert.deepEqual((await call).content, done.content);
      assertEmpty(rig);
    }
    const idle = rig.server.request('sampling/createMessage', sampling);
    assert.equal((await idle).error?.code, -1, 'no call is in flight');
    await rig.close();
  }
});

test('B22, B23: a round under an odd id passes the guards and is answered like any other', async () => {
  const rig = await openCall({ era: 'modern', limits: { inputRateLimit: { burst: 100 } } });
  const round = { resultType: 'input_required', inputRequests: { a: { method: 'elicitation/create', params: form } } };
  for (const [n, answer] of answers.entries()) {
    const call = rig.client.callTool({ name: 't' });
    const { id } = await rig.server.expect('tools/call');
    rig.server.send(answer(id as number, round));
    await (await rig.run(n)).returns(accept);
    const leg = await rig.server.expect('tools/call');
    assert.deepEqual(leg.params?.inputResponses, { a: accept });
    rig.server.send({ jsonrpc: '2.0', id: String(id), result: done }); // out of turn: a later leg is live
    rig.server.respond(leg.id as string, { resultType: 'complete', ...done });
    assert.deepEqual((await call).content, done.content);
  }
  assert.equal(rig.connection.stats().dropped.response, answers.length);
  assertEmpty(rig);
  await rig.close();
});

test('B19: a transport that throws as it is sent to costs the answer and nothing else', async () => {
  let gone = false;
  const rig = await openRig({
    script({ transport }) {
      const { send } = transport;
      transport.send = (message) => {
        if (gone) throw new Error('gone');
        return send.call(transport, message);
      };
    },
  });
  gone = true;
  rig.ask('elicitation/create', { message: 'm', requestedSchema: { type: 'object', properties: {} } }, { id: 'lost' });
  await (await rig.run(0)).returns({ action: 'cancel' });
  assert.deepEqual([rig.records[0]?.outcome, rig.connection.stats().running], ['answered', 0]);
  gone = false;
  await rig.close();
});

test('B58: a ping answered with nonsense fails at once, and a forged answer to an unknown id of ours changes nothing', async () => {
  const rig = await openRig({ script: (server) => server.onCall('ping', () => undefined) });
  rig.server.respond('mcp-bulkhead:999', {});
  const failed = assert.rejects(rig.connection.ping(), { kind: 'protocol' });
  const { id } = await rig.server.expect('ping');
  rig.server.send({ jsonrpc: '2.0', id, result: 7 });
  await failed;
  assertEmpty(rig);
  await rig.close();
});

test('B13, B36: a result that merely looks like a task makes none live', async () => {
  const rig = await openRig({
    script: (server) =>
      server.onCall('tools/call', () => ({ ...done, taskId: 'T', status: 'working', task: { taskId: 'U', status: 'working' } })),
  });
  await rig.connection.callTool({ name: 't' });
  for (const taskId of ['T', 'U']) {
    const params = { ...sampling, _meta: { 'io.modelcontextprotocol/related-task': { taskId } } };
    assert.equal((await rig.server.request('sampling/createMessage', params)).error?.code, -1);
  }
  assert.equal(rig.runs.length, 0);
  await rig.close();
});

test('B17: notifications/cancelled for ids of our own calls, or for nothing, touches neither calls nor callbacks', async () => {
  const rig = await openCall();
  const call = rig.connection.callTool({ name: 't' });
  const { id } = await rig.server.expect('tools/call');
  rig.ask('roots/list', undefined, { id: 'q' });
  const run = await rig.run(0);
  for (const requestId of [id, String(id), undefined, null, {}, [], 'mcp-bulkhead:1'])
    rig.server.notify('notifications/cancelled', { requestId });
  for (const params of [undefined, null, 7, [], 'x']) rig.server.notify('notifications/cancelled', params);
  await settle();
  assert.equal(run.killed, undefined);
  assert.equal(rig.connection.pendingCalls().length, 1);
  await run.returns({ roots: [] });
  rig.server.respond(id as never, done);
  await call;
  assertEmpty(rig);
  await rig.close();
});

test('B57: an onprogress that throws, and 10 000 progress notices, hurt nobody', async () => {
  const rig = await openCall();
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
  let told = 0;
  const onprogress = (): void => {
    told++;
    if (told === 1) throw new Error('mine');
  };
  const call = rig.connection.callTool({ name: 't' }, { onprogress });
  const frame = await rig.server.expect('tools/call');
  const progressToken = frame.params?._meta?.progressToken;
  for (let progress = 1; progress <= 10_000; progress++)
    rig.server.notify('notifications/progress', { progressToken, progress, message: 'x'.repeat(100) });
  assert.equal(told, 10_000);
  assert.match((await warned).message, /onprogress/);
  rig.server.respond(frame.id as never, done);
  await call;
  await rig.close();
});

test('B8: params of 10 MB are refused by their guard', async () => {
  const rig = await openRig({ limits: { sampling: { allowIdle: true } } });
  const text = 'x'.repeat(10 * 2 ** 20);
  const big = { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 1 };
  assert.equal((await rig.server.request('sampling/createMessage', big)).error?.code, -32602);
  assert.equal((await rig.server.request('elicitation/create', { ...form, message: text })).error?.code, -32602);
  const roots = rig.server.request('roots/list', { text });
  await (await rig.run(0)).returns({ roots: [] });
  assert.deepEqual((await roots).result, { roots: [] });
  assertEmpty(rig);
  await rig.close();
});

test('B22: resultType means nothing in the legacy era', async () => {
  const rig = await openRig({
    script: (server) =>
      server.onCall('tools/call', () => ({
        ...done,
        resultType: 'input_required',
        inputRequests: { a: { method: 'elicitation/create', params: form } },
      })),
  });
  const result = await rig.client.callTool({ name: 't' });
  assert.deepEqual(result.content, done.content);
  assert.equal(rig.runs.length, 0);
  assertEmpty(rig);
  await rig.close();
});

test('B36, case 78: a notification handler of the host that calls a tool in turn has a call of its own', async () => {
  const rig = await openCall();
  rig.connection.on('notification', () => {
    void rig.client.callTool({ name: 'inner' }).catch(() => {});
  });
  const outer = rig.connection.callTool({ name: 'outer' }, { assigns: { of: 'outer' }, progressToken: 'mine' });
  const first = await rig.server.expect('tools/call');
  rig.server.notify('notifications/tools/list_changed');
  const inner = await rig.server.expect((frame) => frame.params?.name === 'inner');
  assert.equal(inner.params?._meta?.progressToken, undefined);
  assert.deepEqual(
    rig.connection.pendingCalls().map(({ id }) => id),
    [first.id, inner.id],
  );
  rig.server.respond(inner.id as never, done);
  rig.server.respond(first.id as never, done);
  await outer;
  await rig.close();
});

test('B51, B55, case 99: the name of a notification is cleaned and cut like any text of a server', async () => {
  const rig = await openRig({});
  const heard: string[] = [];
  rig.connection.on('notification', (method) => heard.push(method));
  rig.server.notify('notifications/x\u001b[2J\u202e');
  rig.server.notify(`notifications/${'y'.repeat(1e6)}`);
  await settle();
  assert.deepEqual(heard, ['notifications/x[2J', `notifications/${'y'.repeat(186)}`]);
  await rig.close();
});

test('B11: pauses never outlive their requests: after a flood of them the clock runs with what was left', async () => {
  const rig = await openCall({ limits: { inputRateLimit: { perSecond: 1000, burst: 1000 } } });
  const failed = assert.rejects(rig.connection.callTool({ name: 't' }, { timeout: 100 }), { kind: 'timeout' });
  await rig.server.expect('tools/call');
  for (let n = 0; n < 100; n++) {
    rig.ask('roots/list', undefined, { id: n });
    rig.server.send({ jsonrpc: '2.0', id: n, method: 'roots/list' });
    rig.server.notify('notifications/cancelled', { requestId: n });
    rig.server.notify('notifications/cancelled', { requestId: n });
  }
  await settle();
  rig.clock.advance(100);
  await failed;
  assertEmpty(rig);
  await rig.close();
});

test('case 46: whatever fails, nothing but the fixed text and never an accept leaves', async () => {
  const rig = await openRig();
  const crashes = ['threw', 'refusal', 'result', 'size', 'exit', 'memory', 'lost'] as const;
  for (const [n, reason] of crashes.entries()) {
    const asked = rig.server.request('elicitation/create', form);
    await (await rig.run(n)).ends({ type: 'crashed', reason, fault: { name: 'E', message: 'secret' } });
    assert.deepEqual((await asked).error, { code: -32603, message: 'The host could not answer this request' });
  }
  const late = rig.server.request('elicitation/create', form);
  const run = await rig.run(crashes.length);
  await run.returns(accept);
  await run.ends({ type: 'crashed', reason: 'threw', fault: { name: 'E', message: 'after consent' } });
  assert.deepEqual((await late).result, accept);
  assertEmpty(rig);
  await rig.close();
});

test('B13: what comes on the stream of a request of our own belongs to no call, and is late only when that has ended', async () => {
  const rig = await openRig({
    limits: { logLevel: 'info' },
    script(server) {
      (server.transport as { hasPerRequestStream?: boolean }).hasPerRequestStream = true;
      server.onCall('logging/setLevel', ({ id }) => {
        server.send({ jsonrpc: '2.0', id: 'in time', method: 'roots/list' });
        server.respond(id, {});
        server.send({ jsonrpc: '2.0', id: 'late', method: 'roots/list' });
      });
    },
  });
  const run = await rig.run(0);
  assert.equal(run.task.context.relatedRequestId, null);
  await run.returns({ roots: [] });
  assert.deepEqual(rig.server.answersTo('in time')[0]?.result, { roots: [] });
  assert.equal(rig.server.answersTo('late')[0]?.error?.code, -32602);
  await rig.close();
});
