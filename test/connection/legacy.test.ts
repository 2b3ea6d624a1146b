import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame, ScriptedServer } from '../../src/testing/index.js';
import { openRig, settle } from '../support/rig.js';

const form = {
  message: 'Who?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};
const welcome = (serverInfo: object): object => ({ protocolVersion: '2025-11-25', capabilities: {}, serverInfo });
const sampling = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 10 };

test('B1, B3: what the module exports is advertised in initialize, whatever the client was built with', async () => {
  const rig = await openRig({ callbacks: ['elicitation', 'roots'], modes: ['form'], limits: { roots: { listChanged: true } } });
  const { sampling: absent, elicitation, roots } = rig.server.clientCapabilities ?? {};
  assert.deepEqual([absent, elicitation, roots], [undefined, { form: {} }, { listChanged: true }]);
  await rig.close();
});

test('B4: an undeclared capability is -32601, an undeclared mode -32602, and no callback runs', async () => {
  const rig = await openRig({ callbacks: ['elicitation'], modes: ['form'] });
  const roots = await rig.server.request('roots/list');
  const url = await rig.server.request('elicitation/create', {
    mode: 'url',
    message: 'm',
    url: 'https://x.example/',
    elicitationId: 'e',
  });
  assert.equal(roots.error?.code, -32601);
  assert.equal(url.error?.code, -32602);
  assert.equal(rig.runs.length, 0);
  await rig.close();
});

test('B6: a returned result becomes the JSON-RPC result; declining is a result', async () => {
  const rig = await openRig();
  const answer = rig.server.request('elicitation/create', form);
  await (await rig.run(0)).returns({ action: 'accept', content: { name: 'Ada' } });
  assert.deepEqual((await answer).result, { action: 'accept', content: { name: 'Ada' } });
  const declined = rig.server.request('elicitation/create', form);
  await (await rig.run(1)).returns({ action: 'decline' });
  assert.deepEqual((await declined).result, { action: 'decline' });
  await rig.close();
});

test('B7: a refusal becomes exactly its JSON-RPC error', async () => {
  const rig = await openRig();
  const answer = rig.server.request('elicitation/create', form);
  await (await rig.run(0)).ends({ type: 'refused', code: 4711, message: 'not today', data: { until: 'tomorrow' } });
  assert.deepEqual((await answer).error, { code: 4711, message: 'not today', data: { until: 'tomorrow' } });
  await rig.close();
});

test('B8: what a callback throws, and an answer that does not fit, are -32603 with a fixed text', async () => {
  const rig = await openRig();
  const thrown = rig.server.request('elicitation/create', form);
  await (await rig.run(0)).ends({
    type: 'crashed',
    reason: 'threw',
    fault: { name: 'Error', message: 'ENOENT /home/user/.ssh/id_rsa' },
  });
  const misfit = rig.server.request('elicitation/create', form);
  await (await rig.run(1)).returns({ action: 'accept', content: { name: 42 } });
  const expected = { code: -32603, message: 'The host could not answer this request' };
  assert.deepEqual((await thrown).error, expected);
  assert.deepEqual((await misfit).error, expected);
  assert.equal(rig.records[0]?.fault?.message, 'ENOENT /home/user/.ssh/id_rsa');
  assert.ok(!JSON.stringify(rig.records).includes('id_rsa'), 'a record as JSON leaks nothing');
  await rig.close();
});

test('B9: of all that is wrong with a request the first check in order speaks, and the later ones are not reached', async () => {
  const limits = { maxServerRequests: 1, inputRateLimit: { perSecond: 0.001, burst: 1 } };
  const rig = await openRig({ callbacks: ['elicitation'], modes: ['form'], limits });
  const bad = { mode: 'url', message: 7 };
  rig.ask('elicitation/create', { message: 'm', requestedSchema: { type: 'object', properties: {} } }, { id: 'held' });
  const held = await rig.run(0);
  const answers = [await rig.server.request('roots/list', bad), await rig.server.request('elicitation/create', bad)];
  await held.returns({ action: 'cancel' });
  answers.push(await rig.server.request('elicitation/create', bad));
  rig.clock.advance(1_000_000);
  answers.push(await rig.server.request('elicitation/create', bad));
  assert.deepEqual(
    answers.map(({ error }) => [error?.code, (error?.data as { reason?: string } | undefined)?.reason]),
    [
      [-32601, undefined],
      [-32000, 'busy'],
      [-32000, 'rate'],
      [-32602, undefined],
    ],
  );
  const reached = rig.records.map(({ stages }) => Object.entries(stages).filter(([, verdict]) => verdict !== 'skipped'));
  assert.deepEqual(
    reached.map((stages) => stages.map(([stage]) => stage).at(-1)),
    ['capability', 'concurrency', 'answer', 'budget', 'guard'],
  );
  assert.equal(rig.runs.length, 1);
  await rig.close();
});

test('B9, B31: a request refused for capability or cap is not charged; one refused by its guard is', async () => {
  const limits = { maxServerRequests: 1, inputRateLimit: { perSecond: 0.001, burst: 3 } };
  const rig = await openRig({ callbacks: ['elicitation'], limits });
  const asked = async (): Promise<unknown> => (await rig.server.request('elicitation/create', form)).error?.data;
  for (let n = 0; n < 5; n++) assert.equal((await rig.server.request('roots/list')).error?.code, -32601);
  assert.equal((await rig.server.request('elicitation/create', { message: 'm', requestedSchema: null })).error?.code, -32602);
  for (let n = 0; n < 2; n++) {
    const running = asked();
    const run = await rig.run(n);
    for (let more = 0; more < 3; more++) assert.deepEqual(await asked(), { reason: 'busy' });
    await run.returns({ action: 'cancel' });
    assert.equal(await running, undefined);
  }
  assert.deepEqual(await asked(), { reason: 'rate' });
  await rig.close();
});

test('B10: at the deadline the callback is killed and -32603 is sent', async () => {
  const rig = await openRig({ limits: { handlerTimeout: { elicitation: 500 } } });
  const answer = rig.server.request('elicitation/create', form);
  const run = await rig.run(0);
  assert.equal(run.task.kind, 'elicitation');
  rig.clock.advance(499);
  await settle();
  assert.equal(run.killed, undefined);
  rig.clock.advance(1);
  assert.equal(run.killed, 'timeout');
  assert.equal((await answer).error?.code, -32603);
  assert.equal(rig.records[0]?.outcome, 'killed');
  await rig.close();
});

test('B17, case 47: the server cancels its own request: the callback dies and nothing is sent; 5 is not "5", and 0 is an id', async () => {
  const rig = await openRig();
  for (const id of [5, '5', 0, '']) rig.ask('elicitation/create', form, { id });
  await rig.run(3);
  rig.server.notify('notifications/cancelled', { requestId: '5', reason: 'gone' });
  rig.server.notify('notifications/cancelled', { requestId: 0 });
  rig.server.notify('notifications/cancelled', { requestId: 'unknown' });
  await settle();
  assert.deepEqual(
    rig.runs.map((run) => run.killed),
    [undefined, 'cancelled', 'cancelled', undefined],
  );
  for (const run of rig.runs) await run.returns({ action: 'decline' });
  assert.equal(rig.server.answersTo('5').length + rig.server.answersTo(0).length, 0);
  assert.equal(rig.server.answersTo(5).length, 1);
  assert.equal(rig.server.answersTo('').length, 1);
  await rig.close();
});

test('B19, case 51: a second request under a live id is never answered; an equal one is a redelivery', async () => {
  const rig = await openRig();
  const first = rig.server.request('elicitation/create', form, { id: 'twin' });
  await rig.run(0);
  const frame = { jsonrpc: '2.0', id: 'twin', method: 'elicitation/create' };
  rig.server.send({ ...frame, params: { requestedSchema: form.requestedSchema, message: form.message } });
  rig.server.send({ ...frame, params: { ...form, message: 'Another?' } });
  rig.server.send({ ...frame, method: 'ping' });
  rig.server.send({ ...frame, method: 'roots/list' });
  await settle();
  assert.deepEqual(
    rig.dropped.map(({ reason }) => reason),
    ['redelivered', 'duplicate id', 'duplicate id', 'duplicate id'],
  );
  await rig.runs[0]?.returns({ action: 'decline' });
  await first;
  assert.equal(rig.server.answersTo('twin').length, 1);
  assert.equal(rig.runs.length, 1);
  await rig.close();
});

test('B20: closing a connection kills its callbacks and answers nothing more', async () => {
  const rig = await openRig();
  rig.ask('elicitation/create', form, { id: 'q' });
  const run = await rig.run(0);
  await rig.close();
  assert.equal(run.killed, 'closed');
  assert.equal(rig.server.answersTo('q').length, 0);
  assert.equal(rig.connection.stats().running, 0);
});

test('B21: the ninth request is refused as busy at once, and a slot is free when an answer is sent', async () => {
  const rig = await openRig();
  const eight = Array.from({ length: 8 }, () => rig.server.request('roots/list'));
  await rig.run(7);
  const ninth = await rig.server.request('roots/list');
  assert.deepEqual([ninth.error?.code, ninth.error?.data], [-32000, { reason: 'busy' }]);
  await rig.runs[0]?.returns({ roots: [] });
  await eight[0];
  const tenth = rig.server.request('roots/list');
  await rig.run(8);
  for (const run of rig.runs) await run.returns({ roots: [] });
  assert.deepEqual((await tenth).result, { roots: [] });
  await rig.close();
});

test('B32, B37: over budget sampling is refused with the rejection code', async () => {
  const rig = await openRig({
    limits: { inputRateLimit: { perSecond: 0.001, burst: 1 }, sampling: { allowIdle: true, rejectionCode: -7 } },
  });
  rig.ask('sampling/createMessage', sampling);
  await rig.run(0);
  assert.equal((await rig.server.request('sampling/createMessage', sampling)).error?.code, -7);
  await rig.close();
});

test('B36: legacy sampling while no call is in flight is refused; any call in flight allows it', async () => {
  const rig = await openRig({ script: (server) => server.onCall('tools/call', () => undefined) });
  assert.equal((await rig.server.request('sampling/createMessage', sampling)).error?.code, -1);
  const call = rig.connection.callTool({ name: 't' });
  call.catch(() => {});
  await rig.server.expect('tools/call');
  const sampled = rig.server.request('sampling/createMessage', sampling);
  await (await rig.run(0)).returns({ role: 'assistant', model: 'm', content: { type: 'text', text: 'ok' } });
  assert.equal((await sampled).error, undefined);
  await rig.close();
  await assert.rejects(call, { kind: 'closed' });
});

test('B56: the context says who asks, and the payload cannot', async () => {
  const serverInfo = { name: 'scripted\u001b[2J', version: '1.0.0' };
  const rig = await openRig({ assigns: { user: 7 }, script: (server) => server.onCall('initialize', () => welcome(serverInfo)) });
  rig.ask('roots/list', { serverId: 'evil', _meta: { serverId: 'evil' } });
  const { context } = (await rig.run(0)).task;
  assert.deepEqual(context, {
    client: 'host',
    serverId: 'rig',
    era: 'legacy',
    assigns: { user: 7 },
    relatedRequestId: null,
    kind: 'roots',
    requestId: (context as { requestId: unknown }).requestId,
    deadline: rig.clock.now() + 60_000,
    serverInfo: { name: 'scripted[2J', version: '1.0.0' },
  });
  await rig.close();
});

test('case 69: of 10 000 requests in one burst 20 pass and each other is refused, with no worker spent', async () => {
  const rig = await openRig({ limits: { sampling: { allowIdle: true }, maxServerRequests: 100 } });
  const answers = Array.from({ length: 10_000 }, () => rig.server.request('sampling/createMessage', sampling));
  await settle(20);
  assert.equal(rig.runs.length, 20);
  for (const run of rig.runs) await run.returns({ role: 'assistant', model: 'm', content: { type: 'text', text: 'ok' } });
  const codes = (await Promise.all(answers)).map(({ error }) => error?.code ?? 'answered');
  assert.equal(codes.filter((code) => code === 'answered').length, 20);
  assert.equal(codes.filter((code) => code === -1).length, 9_980);
  await rig.close();
});

for (const [what, method, when] of [
  ['requests', 'roots/list', 'open'],
  ['requests that the client answers', 'foo/bar', 'open'],
  ['requests before the handshake is over', 'roots/list', 'opening'],
] as const)
  test(`case 69: a server that floods ${what} and reads nothing gets a bounded number of answers; the rest is dropped and counted`, async () => {
    let stalled = 0;
    const flood = async (server: ScriptedServer): Promise<void> => {
      for (let n = 0; n < 50_100; n++) {
        server.send({ jsonrpc: '2.0', id: `flood ${n}`, method });
        if (n % 1_000 === 999) await settle(1);
      }
    };
    const rig = await openRig({
      callbacks: [],
      script(server) {
        const { transport } = server;
        const send = transport.send.bind(transport);
        transport.send = (message, options) => {
          if (!String((message as Frame).id).startsWith('flood')) return send(message, options);
          stalled++;
          return new Promise(() => {});
        };
        if (when === 'opening')
          server.onCall(
            'initialize',
            ({ id }) => void flood(server).then(() => server.respond(id, welcome({ name: 's', version: '1' }))),
          );
      },
    });
    if (when === 'open') await flood(rig.server);
    await settle();
    assert.deepEqual([stalled, rig.connection.stats().dropped.request], [1, when === 'open' ? 100 : 50_100]);
    await rig.close();
  });
