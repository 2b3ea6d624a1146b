import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import type { ScriptedServer } from '../../src/testing/index.js';
import { openRig, type Rig, type RigOptions, settle } from '../support/rig.js';

const tasks = 'io.modelcontextprotocol/tasks';
const relatedTask = 'io.modelcontextprotocol/related-task';
const form = (message = 'Who?') => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties: {} } },
});
const accept = { action: 'accept', content: {} } as const;
const task = (status: string, more: object = {}) => ({
  resultType: 'complete',
  taskId: 'T',
  status,
  createdAt: '',
  lastUpdatedAt: '',
  ttlMs: null,
  pollIntervalMs: 500,
  ...more,
});
const created = { ...task('working'), resultType: 'task' };
const finished = task('completed', { result: { content: [{ type: 'text', text: 'done' }] } });

/** A modern rig whose tool becomes a task that shows each of `polls` in turn, the last one again and again. */
async function openTask(polls: readonly unknown[], options: RigOptions = {}): Promise<Rig> {
  let poll = 0;
  const script = (server: ScriptedServer): void => {
    server.onCall('tools/call', () => created);
    server.onCall('tasks/get', () => polls[Math.min(poll++, polls.length - 1)]);
    server.onCall('tasks/update', () => ({ resultType: 'complete' }));
    server.onCall('tasks/cancel', () => ({ resultType: 'complete' }));
  };
  const client = new Client(
    { name: 'rig', version: '1' },
    { versionNegotiation: { mode: 'auto' }, capabilities: { extensions: { [tasks]: {} } } },
  );
  return openRig({ era: 'modern', client, script, ...options });
}

/** Turns the clock, one poll interval at a time, until `promise` settles. */
async function poll(rig: Rig, promise: Promise<unknown>): Promise<void> {
  let over = false;
  const ended = (): void => {
    over = true;
  };
  void promise.then(ended, ended);
  for (let turn = 0; turn < 50 && !over; turn++) {
    await settle();
    await rig.clock.advanceAsync(500);
  }
}

const sent = (rig: Rig, method: string) => rig.server.frames.filter((frame) => frame.method === method);

test('B28: callTool resolves with the task’s final result; input is answered once although polls repeat it', async () => {
  const asks = task('input_required', { inputRequests: { q: form() } });
  const rig = await openTask([asks, asks, asks, finished]);
  const call = rig.connection.callTool({ name: 't' }, { assigns: { n: 1 } });
  const over = poll(rig, call);
  const run = await rig.run(0);
  assert.deepEqual([run.task.context.assigns, run.task.context.request?.key], [{ n: 1 }, 'q']);
  await run.returns(accept);
  await over;
  assert.deepEqual((await call).content, [{ type: 'text', text: 'done' }]);
  assert.equal(rig.runs.length, 1);
  const updates = sent(rig, 'tasks/update');
  assert.deepEqual(
    updates.map(({ params }) => params?.inputResponses),
    [{ q: accept }],
  );
  assert.equal(updates[0]?.params?.taskId, 'T');
  assert.ok(
    updates[0]?.params?._meta?.['io.modelcontextprotocol/clientCapabilities'],
    'every modern request carries the envelope',
  );
  await rig.close();
});

test('B28: a changed body under a used key is protocol', async () => {
  const rig = await openTask([
    task('input_required', { inputRequests: { q: form('A') } }),
    task('input_required', { inputRequests: { q: form('B') } }),
  ]);
  const call = rig.connection.callTool({ name: 't' });
  const failed = assert.rejects(call, { kind: 'protocol' });
  const over = poll(rig, call);
  await (await rig.run(0)).returns(accept);
  await Promise.all([over, failed]);
  await rig.close();
});

test('B28: a failing callback rejects with input_handler and does not cancel the task', async () => {
  const rig = await openTask([task('input_required', { inputRequests: { q: form() } })]);
  const call = rig.connection.callTool({ name: 't' });
  const failed = assert.rejects(call, { kind: 'input_handler' });
  const over = poll(rig, call);
  await (await rig.run(0)).ends({ type: 'crashed', reason: 'threw', fault: { name: 'Error', message: 'x' } });
  await Promise.all([over, failed]);
  assert.equal(sent(rig, 'tasks/cancel').length, 0);
  await rig.close();
});

test('B28: aborting the wait sends tasks/cancel, and so does cancelTask', async () => {
  const rig = await openTask([task('working')]);
  const controller = new AbortController();
  const call = assert.rejects(rig.connection.callTool({ name: 't' }, { signal: controller.signal }), { kind: 'cancelled' });
  await settle();
  controller.abort();
  await call;
  await settle();
  assert.equal(sent(rig, 'tasks/cancel').length, 1);
  await rig.connection.cancelTask('U');
  assert.equal(sent(rig, 'tasks/cancel')[1]?.params?.taskId, 'U');
  await rig.close();
});

test('B28: a wait that is given up leaves no open poll behind', async () => {
  const rig = await openTask([]);
  const controller = new AbortController();
  const wait = assert.rejects(rig.connection.awaitTask('T', { signal: controller.signal }), { kind: 'cancelled' });
  await rig.server.expect('tasks/get');
  controller.abort();
  await wait;
  rig.server.respond((await rig.server.expect('tasks/cancel')).id as string, { resultType: 'complete' });
  await settle();
  assert.equal(rig.connection.stats().books.own, 0);
  await rig.close();
});

test('B28: awaitTask picks a task up later, from its first poll', async () => {
  const rig = await openTask([task('working'), finished]);
  const wait = rig.connection.awaitTask('T');
  await poll(rig, wait);
  assert.deepEqual((await wait).content, [{ type: 'text', text: 'done' }]);
  assert.equal(sent(rig, 'tools/call').length, 0);
  await rig.close();
});

test('B28: a failed task is the server’s own error; a cancelled one is cancelled; an unknown status is protocol', async () => {
  const ends = [
    [task('failed', { error: { code: -32050, message: 'no' } }), { code: -32050 }],
    [task('cancelled'), { kind: 'cancelled' }],
    [task('sleeping'), { kind: 'protocol' }],
    [task('completed'), { kind: 'protocol' }],
    // A result that asks would go past the guards, to whatever handlers the client has of its own.
    [task('completed', { result: { resultType: 'input_required', inputRequests: { q: form() } } }), { kind: 'protocol' }],
    [task('completed', { result: { resultType: 'task', taskId: 'U' } }), { kind: 'protocol' }],
  ] as const;
  for (const [end, expected] of ends) {
    const rig = await openTask([end]);
    const call = rig.connection.callTool({ name: 't' });
    const failed = assert.rejects(call, expected);
    await Promise.all([poll(rig, call), failed]);
    await rig.close();
  }
});

test('B25, B28: what a task asks, and what it is answered, is bounded in UTF-8 bytes like a round', async () => {
  const wide = 'é'.repeat(600);
  const asks = (message: string) => task('input_required', { inputRequests: { q: form(message) } });
  const limits = { rounds: { bytes: 1_000 } };
  const heavy = await openTask([asks(wide)], { limits });
  const refused = heavy.connection.callTool({ name: 't' });
  const failed = assert.rejects(refused, { kind: 'protocol', message: /bytes; the limit is 1000$/ });
  await Promise.all([poll(heavy, refused), failed]);
  assert.equal(heavy.runs.length, 0);
  await heavy.close();
  const asked = task('input_required', {
    inputRequests: {
      q: {
        method: 'elicitation/create',
        params: { message: 'm', requestedSchema: { type: 'object', properties: { a: { type: 'string' } } } },
      },
    },
  });
  const rig = await openTask([asked], { limits });
  const call = rig.connection.callTool({ name: 't' });
  const tooMuch = assert.rejects(call, { kind: 'rounds', message: /the limit is 1000$/ });
  const over = poll(rig, call);
  await (await rig.run(0)).returns({ action: 'accept', content: { a: wide } });
  await Promise.all([over, tooMuch]);
  assert.equal(sent(rig, 'tasks/update').length, 0);
  await rig.close();
});

test('B28: polling keeps within its bounds, and each poll counts as progress of the call', async () => {
  const rig = await openTask([task('working', { pollIntervalMs: 0 })]);
  const call = assert.rejects(rig.connection.callTool({ name: 't' }, { timeout: 150 }), { kind: 'closed' });
  await settle();
  await rig.clock.advanceAsync(500); // the interval of the created task
  const before = sent(rig, 'tasks/get').length;
  for (let n = 0; n < 10; n++) {
    await settle();
    await rig.clock.advanceAsync(100);
  }
  const polls = sent(rig, 'tasks/get').length - before;
  assert.ok(polls >= 9 && polls <= 11, `${polls} polls in 1 000 ms at a bound of 100 ms`);
  await rig.close();
  await call;
});

test('B28: how long a poll may take is the call’s to say, whatever the connection’s timeout is', async () => {
  const rig = await openTask([undefined], { limits: { timeout: 1_000 } });
  let over = false;
  const wait = rig.connection.awaitTask('T', { timeout: 10_000 });
  const ended = assert.rejects(wait, { kind: 'timeout', message: /its timeout of 10000 ms/ }).finally(() => {
    over = true;
  });
  await rig.server.expect('tasks/get');
  await rig.clock.advanceAsync(9_999);
  assert.equal(over, false);
  await rig.clock.advanceAsync(1);
  await ended;
  await rig.server.expect('tasks/cancel');
  await rig.close();
});

test('B22: a task where the extension is not declared, or from another method, is protocol', async () => {
  const rig = await openRig({
    era: 'modern',
    script: (server) => server.onCall('tools/call', () => created).onCall('prompts/get', () => created),
  });
  await assert.rejects(rig.connection.callTool({ name: 't' }), { kind: 'protocol', message: /not declared/ });
  await assert.rejects(rig.connection.getPrompt({ name: 'p' }), { kind: 'protocol' });
  await assert.rejects((await openRig()).connection.awaitTask('T'), { kind: 'options' });
  await rig.close();
});

test('B29: input for a legacy task counts as tied to its poll, and the same _meta goes back', async () => {
  const rig = await openRig({ script: (server) => server.onCall('tasks/result', () => undefined) });
  const wait = rig.client.request({ method: 'tasks/result', params: { taskId: 'L' } }, anything).catch(() => {});
  const id = (await rig.server.expect('tasks/result')).id;
  const params = { ...form().params, _meta: { [relatedTask]: { taskId: 'L' }, other: 1 } };
  const asked = rig.server.request('elicitation/create', params);
  const run = await rig.run(0);
  assert.equal(run.task.context.relatedRequestId, id);
  await run.returns(accept);
  assert.deepEqual((await asked).result, { ...accept, _meta: { [relatedTask]: { taskId: 'L' } } });
  await rig.close();
  await wait;
});

test('B36: a live legacy task counts as a call in flight, until its status says it ended', async () => {
  const rig = await openRig({
    script: (server) =>
      server.onCall('tools/call', () => ({
        task: { taskId: 'L', status: 'working', createdAt: '', lastUpdatedAt: '', ttl: null },
      })),
  });
  await rig.client.request({ method: 'tools/call', params: { name: 't', task: {} } }, anything);
  const sampling = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 10 };
  rig.ask('sampling/createMessage', sampling);
  await rig.run(0);
  rig.server.notify('notifications/tasks/status', {
    taskId: 'L',
    status: 'completed',
    createdAt: '',
    lastUpdatedAt: '',
    ttl: null,
  });
  await settle();
  assert.equal((await rig.server.request('sampling/createMessage', sampling)).error?.code, -1);
  await rig.close();
});

/** A result schema that takes whatever comes. */
const anything = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const;
