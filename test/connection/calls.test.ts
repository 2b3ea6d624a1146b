import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRig, type Rig, settle } from '../support/rig.js';

const form = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const done = { content: [{ type: 'text', text: 'done' }] };
const accept = { action: 'accept', content: {} } as const;

/** A rig whose `tools/call` stays open until the test responds. */
async function openCall(options: Parameters<typeof openRig>[0] = {}): Promise<Rig> {
  return openRig({ ...options, script: (server) => server.onCall('tools/call', () => undefined) });
}

async function callId(rig: Rig): Promise<string | number> {
  const frame = await rig.server.expect('tools/call');
  return frame.id as string | number;
}

test('B11: a call of timeout 250 whose server asks twice for 400 ms each succeeds: the clock stands still while a person answers', async () => {
  const rig = await openCall();
  const call = rig.connection.callTool({ name: 't' }, { timeout: 250 });
  const id = await callId(rig);
  rig.clock.advance(100);
  for (const n of [0, 1]) {
    const asked = rig.server.request('elicitation/create', form);
    const run = await rig.run(n);
    rig.clock.advance(400);
    await run.returns(accept);
    await asked;
  }
  rig.clock.advance(149);
  await settle();
  rig.server.respond(id, done);
  assert.deepEqual((await call).content, done.content);
  await rig.close();
});

test('B11: what was left stays left, to the millisecond; overlapping requests are counted', async () => {
  const rig = await openCall();
  const call = rig.connection.callTool({ name: 't' }, { timeout: 250 });
  const failed = assert.rejects(call, { name: 'BulkheadError', kind: 'timeout' });
  await callId(rig);
  rig.clock.advance(200);
  rig.ask('elicitation/create', form);
  rig.ask('elicitation/create', form);
  await rig.run(1);
  rig.clock.advance(300);
  await rig.runs[0]?.returns(accept);
  rig.clock.advance(300);
  await rig.runs[1]?.returns(accept);
  rig.clock.advance(49);
  await settle();
  assert.equal(rig.connection.pendingCalls().length, 1);
  rig.clock.advance(1);
  await failed;
  await rig.close();
});

test('B12: maxTotalTimeout 300 ends the call before the second question, and its callback is dead', async () => {
  const rig = await openCall();
  const call = rig.connection.callTool({ name: 't' }, { timeout: 250, maxTotalTimeout: 300 });
  const failed = assert.rejects(call, { kind: 'timeout', message: /maxTotalTimeout of 300 ms/ });
  await callId(rig);
  const asked = rig.server.request('elicitation/create', form);
  const run = await rig.run(0);
  rig.clock.advance(299);
  await settle();
  assert.equal(run.killed, undefined);
  rig.clock.advance(1);
  await failed;
  assert.equal(run.killed, 'timeout');
  assert.equal((await asked).error?.code, -32603);
  await rig.server.expect('notifications/cancelled');
  await rig.close();
});

test('B12, case 53: progress resets the timeout, never the total, with or without onprogress', async () => {
  for (const onprogress of [undefined, () => {}]) {
    const rig = await openCall();
    const options = {
      timeout: 60_000,
      maxTotalTimeout: 300_000,
      resetTimeoutOnProgress: true,
      ...(onprogress && { onprogress }),
    };
    const failed = assert.rejects(rig.connection.callTool({ name: 't' }, options), { message: /maxTotalTimeout/ });
    const frame = await rig.server.expect('tools/call');
    const progressToken = frame.params?._meta?.progressToken;
    for (let n = 1; n < 15; n++) {
      rig.clock.advance(20_000);
      rig.server.notify('notifications/progress', { progressToken, progress: n });
      await settle(1);
      assert.equal(rig.connection.pendingCalls().length, 1);
    }
    rig.clock.advance(20_000);
    await failed;
    await rig.close();
  }
});

test('B13: in memory a request belongs to the one call in flight, and to none where there are two', async () => {
  const rig = await openCall({ assigns: { of: 'connection' } });
  const first = rig.connection.callTool({ name: 'a' }, { assigns: { of: 'a' } });
  const id = await callId(rig);
  rig.ask('roots/list');
  const { context } = (await rig.run(0)).task;
  assert.deepEqual([context.assigns, context.relatedRequestId], [{ of: 'a' }, id]);
  const second = rig.connection.callTool({ name: 'b' }, { assigns: { of: 'b' } });
  await settle();
  rig.ask('roots/list');
  const other = (await rig.run(1)).task.context;
  assert.deepEqual([other.assigns, other.relatedRequestId], [{ of: 'connection' }, null]);
  await rig.close();
  await Promise.all([first, second].map((call) => assert.rejects(call, { kind: 'closed' })));
});

test('B14: a plain client.callTool is a call too: it ties, and it is listed', async () => {
  const rig = await openCall();
  const call = rig.client.callTool({ name: 't' });
  const id = await callId(rig);
  assert.deepEqual(
    rig.connection.pendingCalls().map(({ method }) => method),
    ['tools/call'],
  );
  rig.ask('roots/list');
  assert.equal((await rig.run(0)).task.context.relatedRequestId, id);
  rig.server.respond(id, done);
  await call;
  await rig.close();
});

test('B15, case 48: aborting a call kills its callbacks with -32603; ending it normally leaves them running', async () => {
  const rig = await openCall();
  const controller = new AbortController();
  const call = rig.connection.callTool({ name: 't' }, { signal: controller.signal });
  const failed = assert.rejects(call, { kind: 'cancelled' });
  await callId(rig);
  const asked = rig.server.request('roots/list');
  const run = await rig.run(0);
  controller.abort(new Error('enough'));
  await failed;
  assert.equal(run.killed, 'cancelled');
  assert.equal((await asked).error?.code, -32603);

  const second = rig.connection.callTool({ name: 't' }, { assigns: { n: 2 } });
  const id = (
    await rig.server.expect(
      (frame) => frame.method === 'tools/call' && frame.id !== undefined && rig.server.frames.indexOf(frame) > 4,
    )
  ).id;
  const kept = rig.server.request('roots/list');
  const survivor = await rig.run(1);
  rig.server.respond(id as never, done);
  await second;
  assert.equal(survivor.killed, undefined);
  await survivor.returns({ roots: [] });
  assert.deepEqual((await kept).result, { roots: [] });
  await rig.close();
});

test('B59: connection.cancel tells the server and the caller; an unknown id is false; initialize cannot be cancelled', async () => {
  const rig = await openCall();
  const calls = [rig.connection.callTool({ name: 't' }), rig.client.callTool({ name: 't' })];
  const failed = [
    assert.rejects(calls[0] as Promise<unknown>, { kind: 'cancelled' }),
    assert.rejects(calls[1] as Promise<unknown>, /cancelled by the host/),
  ];
  await settle();
  const ids = rig.connection.pendingCalls().map(({ id }) => id);
  for (const id of ids) assert.equal(rig.connection.cancel(id, 'enough'), true);
  await Promise.all(failed);
  await settle();
  const told = rig.server.frames
    .filter(({ method }) => method === 'notifications/cancelled')
    .map(({ params }) => [params?.requestId, params?.reason]);
  assert.deepEqual(
    told,
    ids.map((id) => [id, 'enough']),
  );
  assert.equal(rig.connection.cancel(99), false);
  assert.deepEqual(rig.connection.pendingCalls(), []);
  await rig.close();
});

test('B57: progress has the caller’s token or one of its own; falling and repeated values are ignored', async () => {
  const rig = await openCall();
  const told: unknown[] = [];
  const call = rig.connection.callTool(
    { name: 't' },
    { progressToken: 'mine', meta: { trace: 'x' }, onprogress: (progress) => told.push(progress) },
  );
  const frame = await rig.server.expect('tools/call');
  assert.deepEqual(frame.params?._meta, { trace: 'x', progressToken: 'mine' });
  for (const progress of [1, 1, 0.5, 2, Number.NaN])
    rig.server.notify('notifications/progress', { progressToken: 'mine', progress, total: 9 });
  rig.server.notify('notifications/progress', { progressToken: 'not mine', progress: 3 });
  await settle();
  assert.deepEqual(told, [
    { progress: 1, total: 9 },
    { progress: 2, total: 9 },
  ]);
  rig.server.respond(frame.id as never, done);
  await call;
  rig.server.notify('notifications/progress', { progressToken: 'mine', progress: 10 });
  await settle();
  assert.equal(told.length, 2);
  await rig.close();
});

test('B12, B15, B47: a call that runs out of time takes its form with it: -32603, also with onTimeout "cancel"', async () => {
  const rig = await openCall({ limits: { elicitation: { onTimeout: 'cancel' } } });
  const call = assert.rejects(rig.connection.callTool({ name: 't' }, { maxTotalTimeout: 300 }), { kind: 'timeout' });
  await callId(rig);
  const asked = rig.server.request('elicitation/create', {
    message: 'm',
    requestedSchema: { type: 'object', properties: {} },
  });
  const run = await rig.run(0);
  rig.clock.advance(300);
  await call;
  assert.deepEqual([run.killed, (await asked).error?.code, rig.records[0]?.outcome], ['timeout', -32603, 'killed']);
  await rig.close();
});

test('wrong arguments of ping, notify and the task methods are options errors, and a closed connection says so', async () => {
  const rig = await openCall();
  const { connection } = rig;
  for (const timeout of [0, -1, 1.5, Number.NaN, 'x'])
    await assert.rejects(connection.ping({ timeout: timeout as never }), { kind: 'options', message: /timeout/ });
  for (const options of [null, 5, { timout: 1 }])
    await assert.rejects(connection.ping(options as never), { kind: 'options', message: /"ping/ });
  for (const [name, value] of [
    ['resetTimeoutOnProgress', 'yes'],
    ['meta', new Map()],
    ['meta', null],
  ] as const)
    await assert.rejects(connection.callTool({ name: 't' }, { [name]: value } as never), {
      kind: 'options',
      message: new RegExp(`"${name}": expected .*, received`),
    });
  await assert.rejects(connection.callTool({ name: 't' }, null as never), { kind: 'options', message: /"options"/ });
  await assert.rejects(connection.notify('tools/call'), { kind: 'options' });
  await assert.rejects(connection.notify('notifications/x', [] as never), { kind: 'options', message: /params/ });
  const modern = await openRig({ era: 'modern' });
  await assert.rejects(modern.connection.awaitTask(5 as never), { kind: 'options', message: /taskId/ });
  await assert.rejects(modern.connection.cancelTask(undefined as never), { kind: 'options', message: /taskId/ });
  await Promise.all([modern.close(), connection.close()]);
  await assert.rejects(connection.ping(), { kind: 'closed' });
  await assert.rejects(connection.notify('notifications/x'), { kind: 'closed' });
});

test('B58: ping has a timeout; a server’s ping is answered at once', async () => {
  const rig = await openRig({ script: (server) => server.onCall('ping', () => undefined) });
  const failed = assert.rejects(rig.connection.ping({ timeout: 5_000 }), { kind: 'timeout' });
  await rig.server.expect('ping');
  rig.clock.advance(5_000);
  await failed;
  assert.deepEqual((await rig.server.request('ping')).result, {});
  await rig.close();
});

test('B50: a call made after rootsChanged reaches a server that has heard of the change', async () => {
  const rig = await openRig({ limits: { roots: { listChanged: true } } });
  rig.connection.rootsChanged();
  await rig.connection.callTool({ name: 'any' }).catch(() => {});
  await settle();
  const methods = rig.server.frames.map(({ method }) => method);
  assert.ok(methods.indexOf('notifications/roots/list_changed') < methods.indexOf('tools/call'));
  assert.equal(methods.filter((method) => method === 'notifications/roots/list_changed').length, 1);
  await rig.close();
});

test('B56: assigns are checked and snapshotted when the call starts', async () => {
  const rig = await openCall();
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  for (const assigns of [cycle, { f: () => 1 }, { big: 'x'.repeat(70_000) }, { date: new Date() }, { n: Number.NaN }, []])
    await assert.rejects(rig.connection.callTool({ name: 't' }, { assigns: assigns as never }), {
      kind: 'options',
      message: /assigns/,
    });
  const mine = { user: { id: 1 } };
  const call = rig.connection.callTool({ name: 't' }, { assigns: mine });
  mine.user.id = 2;
  const id = await callId(rig);
  rig.ask('roots/list');
  assert.deepEqual((await rig.run(0)).task.context.assigns, { user: { id: 1 } });
  rig.server.respond(id, done);
  await call;
  await rig.close();
});

test('a wrong timeout of a call is an options error, and a closed connection takes no call', async () => {
  const rig = await openCall();
  await assert.rejects(rig.connection.callTool({ name: 't' }, { timeout: -1 }), {
    kind: 'options',
    message: /"timeout".*received -1/,
  });
  await assert.rejects(rig.connection.callTool({ name: 't' }, { timeout: Number.POSITIVE_INFINITY }), { kind: 'options' });
  await rig.close();
  await assert.rejects(rig.connection.callTool({ name: 't' }), { kind: 'closed' });
});

test('B13: a plain call made while a message of another call is being handled is not taken for that call’s', async () => {
  const rig = await openRig({
    assigns: { of: 'connection' },
    // The script runs in the async context of the call it answers, as the reading of an event stream does.
    script: (server) =>
      server.onCall('tools/call', ({ params }) => {
        if (params?.name === 'outer') server.notify('notifications/tools/list_changed');
      }),
  });
  rig.client.setNotificationHandler(
    'notifications/tools/list_changed',
    () => void rig.client.callTool({ name: 'inner' }).catch(() => {}),
  );
  const outer = rig.connection.callTool({ name: 'outer' }, { assigns: { of: 'outer' } });
  const frame = await rig.server.expect('tools/call');
  await settle();
  rig.server.respond(frame.id as never, done);
  await outer;
  rig.ask('roots/list');
  assert.deepEqual((await rig.run(0)).task.context.assigns, { of: 'connection' });
  await rig.close();
});
