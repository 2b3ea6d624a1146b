import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBudget } from '../../src/limits/bucket.js';
import type { Frame, ScriptedServer } from '../../src/testing/index.js';
import { openRig, type Rig, type RigOptions, settle } from '../support/rig.js';

const form = (message = 'Who?', properties: object = {}) => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties } },
});
const done = { resultType: 'complete', content: [{ type: 'text', text: 'done' }] };
const accept = { action: 'accept', content: {} } as const;

/** A modern rig whose `tools/call` answers with each of `legs` in turn. */
async function openLegs(legs: readonly unknown[], options: RigOptions = {}): Promise<Rig & { sent(): readonly Frame[] }> {
  let leg = 0;
  const script = (server: ScriptedServer): void => void server.onCall('tools/call', () => legs[Math.min(leg++, legs.length - 1)]);
  const rig = await openRig({ era: 'modern', ...options, script });
  return { ...rig, sent: () => rig.server.frames.filter(({ method }) => method === 'tools/call') };
}

const ask = (inputRequests: object, requestState?: string): object => ({
  resultType: 'input_required',
  inputRequests,
  ...(requestState !== undefined && { requestState }),
});

test('B1, B3: every request’s envelope declares what the module exports, without listChanged', async () => {
  const rig = await openLegs([done], { limits: { roots: { listChanged: true }, logLevel: 'warning' } });
  await rig.connection.callTool({ name: 't' });
  const meta = rig.sent()[0]?.params?._meta as Record<string, Record<string, unknown>>;
  const declared = meta['io.modelcontextprotocol/clientCapabilities'];
  assert.deepEqual([declared?.sampling, declared?.elicitation, declared?.roots], [{}, { form: {}, url: {} }, {}]);
  assert.equal(meta['io.modelcontextprotocol/logLevel'] as unknown, 'warning', 'B54');
  await rig.close();
});

test('B23: the retry has the same method and params, a fresh id, exactly the keys, and the state byte for byte', async () => {
  const rig = await openLegs([
    ask({ a: form(), '': form(), undefined: form(), ['__proto__']: form(), 0: form() }, ''),
    ask({ b: form('And?') }),
    done,
  ]);
  const call = rig.connection.callTool({ name: 't', arguments: { x: 1 } });
  for (let n = 0; n < 6; n++) await (await rig.run(n)).returns({ action: 'accept', content: {} });
  assert.deepEqual((await call).content, done.content);
  const [first, second, third] = rig.sent();
  assert.notEqual(second?.id, first?.id);
  assert.deepEqual([second?.params?.name, second?.params?.arguments], ['t', { x: 1 }]);
  assert.deepEqual(Object.keys(second?.params?.inputResponses as object).sort(), ['', '0', '__proto__', 'a', 'undefined']);
  assert.equal(second?.params?.requestState, '');
  assert.deepEqual(third?.params?.inputResponses, { b: accept });
  assert.equal('requestState' in (third?.params ?? {}), false, 'nothing of an earlier round');
  await rig.close();
});

test('B22: rounds work through a plain client.callTool as well', async () => {
  const rig = await openLegs([ask({ a: form() }), done]);
  const call = rig.client.callTool({ name: 't' });
  await (await rig.run(0)).returns(accept);
  assert.deepEqual((await call).content, done.content);
  await rig.close();
});

test('B22, case 91: input_required from elsewhere, an empty one, and an unknown resultType are protocol', async () => {
  for (const leg of [
    { resultType: 'input_required' },
    { resultType: 'weird' },
    { resultType: 7 },
    ask({ a: { params: {} } }),
    ask({ a: { method: 'ping' } }),
    ask([] as never),
  ]) {
    const rig = await openLegs([leg]);
    await assert.rejects(rig.connection.callTool({ name: 't' }), { kind: 'protocol' });
    assert.equal(rig.runs.length, 0);
    await rig.close();
  }
  const rig = await openRig({ era: 'modern', script: (server) => server.onCall('tools/list', () => ask({ a: form() })) });
  await assert.rejects(rig.client.listTools(), /tools\/list may not ask for input/);
  await rig.close();
});

test('B4, case 89: in a round every entry’s capability is checked before the first callback starts', async () => {
  const rig = await openLegs([ask({ a: form(), b: { method: 'roots/list' } })], { callbacks: ['elicitation'] });
  await assert.rejects(rig.connection.callTool({ name: 't' }), { kind: 'protocol', code: -32601, message: /"roots"/ });
  assert.equal(rig.runs.length, 0);
  await rig.close();
});

test('B24, case 90: a crash fails the call with input_handler, kills the siblings and sends no retry; a decline is an answer', async () => {
  const rig = await openLegs([ask({ a: form(), b: form(), c: form() }), done]);
  const call = rig.connection.callTool({ name: 't' });
  const failed = assert.rejects(call, { kind: 'input_handler' });
  await rig.run(2);
  await rig.runs[0]?.returns({ action: 'decline' });
  await rig.runs[1]?.ends({ type: 'crashed', reason: 'threw', fault: { name: 'Error', message: 'boom' } });
  await failed;
  assert.equal(rig.runs[2]?.killed, 'sibling failed');
  await settle();
  assert.equal(rig.sent().length, 1);
  assert.deepEqual(rig.records.map(({ outcome }) => outcome).sort(), ['answered', 'failed', 'killed']);
  await rig.close();
});

test('B24: a refusal fails the call with input_handler; its caller finds what the callback said in the cause', async () => {
  const rig = await openLegs([ask({ a: form() })]);
  const call = rig.connection.callTool({ name: 't' });
  const failed = assert.rejects(call, { kind: 'input_handler', code: 7, cause: { code: 7, message: 'no', data: [1] } });
  await (await rig.run(0)).ends({ type: 'refused', code: 7, message: 'no', data: [1] });
  await failed;
  await rig.close();
});

test('B24: a guard violation by the server is protocol, over budget is over_budget', async () => {
  const violation = await openLegs([
    ask({ a: { method: 'elicitation/create', params: { mode: 'url', message: 'm', url: 'javascript:alert(1)' } } }),
  ]);
  await assert.rejects(violation.connection.callTool({ name: 't' }), { kind: 'protocol', code: -32602 });
  await violation.close();
  const over = await openLegs([ask({ a: form(), b: form() })], { limits: { inputRateLimit: { perSecond: 0.001, burst: 1 } } });
  await assert.rejects(over.connection.callTool({ name: 't' }), { kind: 'over_budget', code: -32000 });
  assert.equal(over.runs.length, 0);
  await over.close();
});

test('B31: with whenOver "wait" entries wait for tokens instead of failing the call', async () => {
  const rig = await openLegs([ask({ a: form(), b: form() }), done], {
    limits: { inputRateLimit: { perSecond: 1, burst: 1, whenOver: 'wait' } },
  });
  const call = rig.connection.callTool({ name: 't' }, { timeout: 100 });
  await settle();
  assert.equal(rig.runs.length, 0);
  await rig.clock.advanceAsync(1_000);
  for (const n of [0, 1]) await (await rig.run(n)).returns(accept);
  assert.deepEqual((await call).content, done.content);
  await rig.close();
});

test('B31: an entry that waits for a token goes on waiting where another thread takes it first', async () => {
  const rate = { perSecond: 1, burst: 1 };
  const rig = await openLegs([ask({ a: form() }), done], {
    limits: { inputRateLimit: { ...rate, whenOver: 'wait' } },
    budget(clock) {
      const ours = openBudget(undefined, clock);
      const theirs = openBudget(ours.buffer, clock);
      let left = 2;
      return {
        ...ours,
        take(key, at) {
          // As late as it can be: whatever we have looked at before, the token is gone.
          if (left-- > 0) assert.equal(theirs.take(key, at), 'taken');
          return ours.take(key, at);
        },
      };
    },
  });
  const call = rig.connection.callTool({ name: 't' });
  await settle();
  await rig.clock.advanceAsync(1_000);
  await settle();
  assert.equal(rig.runs.length, 0, 'the rival has taken both tokens so far');
  await rig.clock.advanceAsync(1_000);
  await (await rig.run(0)).returns(accept);
  assert.deepEqual((await call).content, done.content);
  const [{ stages, outcome, code, reason } = assert.fail()] = rig.records;
  assert.deepEqual([stages.budget, outcome, code, reason], ['pass', 'answered', undefined, undefined]);
  assert.equal(rig.clock.pending, 0);
  await rig.close();
});

test('B31: a call given up while its entry waits for a token takes none, and its record tells of no refusal', async () => {
  const rig = await openLegs([ask({ a: form(), b: form() })], {
    limits: { inputRateLimit: { perSecond: 1, burst: 1, whenOver: 'wait' } },
  });
  const controller = new AbortController();
  const call = assert.rejects(rig.connection.callTool({ name: 't' }, { signal: controller.signal }), { kind: 'cancelled' });
  await settle();
  controller.abort();
  await call;
  await settle();
  assert.deepEqual(
    rig.records.map(({ stages, outcome, code, reason }) => [stages.budget, outcome, code, reason]),
    [
      ['pass', 'cancelled', undefined, undefined],
      ['skipped', 'cancelled', undefined, undefined],
    ],
  );
  assert.equal(rig.clock.pending, 0);
  await rig.close();
});

test('B25: entries wait for a slot instead of failing', async () => {
  const rig = await openLegs([ask({ a: form(), b: form(), c: form() }), done], { limits: { maxServerRequests: 1 } });
  const call = rig.connection.callTool({ name: 't' });
  for (const n of [0, 1, 2]) {
    const run = await rig.run(n);
    assert.equal(rig.runs.length, n + 1);
    await run.returns(accept);
  }
  await call;
  await rig.close();
});

test('B25, case 88: at most 10 rounds, 16 entries, 1 MiB', async () => {
  const endless = await openLegs([...Array(20).keys()].map((n) => ask({ a: form(`Question ${n}`) })));
  const call = assert.rejects(endless.connection.callTool({ name: 't' }), { kind: 'rounds', message: /10/ });
  for (let n = 0; n < 10; n++) await (await endless.run(n)).returns(accept);
  await call;
  assert.equal(endless.sent().length, 11);
  await endless.close();
  const wide = await openLegs([ask(Object.fromEntries([...Array(17).keys()].map((n) => [`k${n}`, form()])))]);
  await assert.rejects(wide.connection.callTool({ name: 't' }), { kind: 'protocol', message: /17 entries; the limit is 16/ });
  await wide.close();
  const heavy = await openLegs([ask({ a: form('x'.repeat(2 ** 20)) })]);
  await assert.rejects(heavy.connection.callTool({ name: 't' }), { kind: 'protocol', message: /bytes; the limit is 1048576/ });
  await heavy.close();
});

test('B25, case 92: the same question in three rounds running stops before a third asking', async () => {
  const rig = await openLegs([ask({ a: form('Again?') })]);
  const call = assert.rejects(rig.connection.callTool({ name: 't' }), { kind: 'rounds' });
  for (const n of [0, 1]) await (await rig.run(n)).returns(accept);
  await call;
  assert.equal(rig.runs.length, 2);
  await rig.close();
});

test('B25, case 86: a round with state alone waits 250 ms, carries no responses, and counts', async () => {
  const rig = await openLegs([
    { resultType: 'input_required', requestState: 's-1', inputRequests: {} },
    { resultType: 'input_required', requestState: 's-2' },
    done,
  ]);
  const call = rig.connection.callTool({ name: 't' });
  await settle();
  rig.clock.advance(249);
  await settle();
  assert.equal(rig.sent().length, 1);
  await rig.clock.advanceAsync(1);
  await settle();
  await rig.clock.advanceAsync(250);
  assert.deepEqual((await call).content, done.content);
  assert.deepEqual(
    rig.sent().map(({ params }) => [params?.requestState, params?.inputResponses]),
    [
      [undefined, undefined],
      ['s-1', undefined],
      ['s-2', undefined],
    ],
  );
  await rig.close();
});

test('B26: context names method, key and round; relatedRequestId is null; assigns are the call’s', async () => {
  const rig = await openLegs([ask({ k: { method: 'roots/list' } }), done]);
  const call = rig.connection.callTool({ name: 't' }, { assigns: { n: 1 } });
  const { context } = (await rig.run(0)).task as { context: { request?: object } };
  assert.deepEqual(context, {
    ...context,
    era: 'modern',
    relatedRequestId: null,
    requestId: 'k',
    assigns: { n: 1 },
    request: { method: 'tools/call', key: 'k', round: 1 },
  });
  await rig.runs[0]?.returns({ roots: [] });
  await call;
  await rig.close();
});

test('B26: aborting the call kills its callbacks and sends no retry; between rounds nothing is sent (B59)', async () => {
  const rig = await openLegs([ask({ a: form() }), ask({ b: form('2') }), done]);
  const controller = new AbortController();
  const failed = assert.rejects(rig.connection.callTool({ name: 't' }, { signal: controller.signal }), { kind: 'cancelled' });
  await (await rig.run(0)).returns(accept);
  const second = await rig.run(1);
  controller.abort();
  await failed;
  assert.equal(second.killed, 'cancelled');
  await settle();
  assert.equal(rig.sent().length, 2);
  assert.equal(rig.server.frames.filter(({ method }) => method === 'notifications/cancelled').length, 0);
  assert.deepEqual(rig.connection.pendingCalls(), []);
  await rig.close();
});

test('B26, B59: a pending call tells how many callbacks run for it in a round, and they die with it', async () => {
  const rig = await openLegs([ask({ a: form(), b: form() }), done]);
  const failed = assert.rejects(rig.connection.callTool({ name: 't' }), { kind: 'cancelled' });
  const [first, second] = [await rig.run(0), await rig.run(1)];
  const [pending] = rig.connection.pendingCalls();
  assert.equal(pending?.inputs, 2);
  await first.returns(accept);
  assert.equal(rig.connection.pendingCalls()[0]?.inputs, 1);
  assert.equal(rig.connection.cancel(pending?.id ?? ''), true);
  await failed;
  assert.equal(second.killed, 'cancelled');
  await rig.close();
});

test('B59: cancelling while a later leg is live names that leg', async () => {
  const rig = await openRig({
    era: 'modern',
    script: (server) =>
      server.onCall('tools/call', ({ params }) => ('inputResponses' in (params ?? {}) ? undefined : ask({ a: form() }))),
  });
  const controller = new AbortController();
  const failed = assert.rejects(rig.connection.callTool({ name: 't' }, { signal: controller.signal }), { kind: 'cancelled' });
  await (await rig.run(0)).returns(accept);
  const leg = await rig.server.expect((frame) => frame.method === 'tools/call' && frame.params?.inputResponses !== undefined);
  controller.abort();
  await failed;
  const cancelled = await rig.server.expect('notifications/cancelled');
  assert.equal(cancelled.params?.requestId, leg.id);
  await rig.close();
});

test('B26: handler timeout and maxTotalTimeout apply while callbacks run', async () => {
  const slow = await openLegs([ask({ a: form() }), done], { limits: { handlerTimeout: 1_000 } });
  const late = assert.rejects(slow.connection.callTool({ name: 't' }, { timeout: 10 }), {
    kind: 'input_handler',
    message: /timeout/,
  });
  await slow.run(0);
  await slow.clock.advanceAsync(1_000);
  await late;
  await slow.close();
  const total = await openLegs([ask({ a: form() }), done]);
  const over = assert.rejects(total.connection.callTool({ name: 't' }, { timeout: 10, maxTotalTimeout: 50 }), {
    kind: 'timeout',
    message: /maxTotal/,
  });
  const run = await total.run(0);
  await total.clock.advanceAsync(50);
  await over;
  assert.equal(run.killed, 'timeout');
  await total.close();
});

test('B47: with onTimeout "cancel" a form that times out is answered as cancelled', async () => {
  const rig = await openLegs([ask({ a: form() }), done], {
    limits: { handlerTimeout: 1_000, elicitation: { onTimeout: 'cancel' } },
  });
  const call = rig.connection.callTool({ name: 't' });
  await rig.run(0);
  await rig.clock.advanceAsync(1_000);
  await call;
  assert.deepEqual(rig.sent()[1]?.params?.inputResponses, { a: { action: 'cancel' } });
  await rig.close();
});

test('B27: a server-to-client request is dropped, counted and never answered', async () => {
  const rig = await openLegs([done]);
  await rig.connection.callTool({ name: 't' });
  for (const method of ['elicitation/create', 'roots/list', 'ping'])
    rig.server.send({ jsonrpc: '2.0', id: method, method, params: {} });
  await settle();
  assert.equal(rig.connection.stats().dropped.request, 3);
  assert.equal(rig.runs.length, 0);
  for (const id of ['elicitation/create', 'roots/list', 'ping']) assert.equal(rig.server.answersTo(id).length, 0);
  await rig.close();
});

test('B58: a modern ping is server/discover, sent anew each time', async () => {
  const rig = await openLegs([done]);
  await rig.connection.callTool({ name: 't' });
  const before = rig.server.frames.filter(({ method }) => method === 'server/discover').length;
  await rig.connection.ping();
  await rig.connection.ping();
  assert.equal(rig.server.frames.filter(({ method }) => method === 'server/discover').length, before + 2);
  await rig.close();
});

test('B50, B60: what the modern era has not is not sent', async () => {
  const rig = await openLegs([done], { limits: { roots: { listChanged: true } } });
  await rig.connection.callTool({ name: 't' });
  rig.connection.rootsChanged();
  await settle();
  await assert.rejects(rig.connection.notify('notifications/elicitation/complete', { elicitationId: 'e' }), { kind: 'options' });
  assert.equal(rig.server.frames.filter(({ method }) => method?.startsWith('notifications/')).length, 0);
  await rig.close();
});

test('B47, B10: a form whose time runs out while it waits in line is answered as cancelled, too, with onTimeout "cancel"', async () => {
  const limits = {
    maxServerRequests: 1,
    handlerTimeout: { elicitation: 1_000, roots: 5_000 },
    elicitation: { onTimeout: 'cancel' },
  } as const;
  const rig = await openLegs([ask({ a: { method: 'roots/list' }, b: form() }), done], { limits });
  const call = rig.connection.callTool({ name: 't' });
  await rig.run(0);
  await rig.clock.advanceAsync(1_000);
  await rig.runs[0]?.returns({ roots: [] });
  await call;
  assert.deepEqual(rig.sent()[1]?.params?.inputResponses, { a: { roots: [] }, b: { action: 'cancel' } });
  assert.equal(rig.runs.length, 1);
  await rig.close();
});
