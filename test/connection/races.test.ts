import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '../simulation/random.js';
import { createWorld, type Message } from '../simulation/world.js';
import { openRig, type Rig, settle } from '../support/rig.js';

const form = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const done = { resultType: 'complete', content: [{ type: 'text', text: 'done' }] };
const accept = { action: 'accept', content: {} } as const;

const round = (...keys: readonly string[]): object => ({
  resultType: 'input_required',
  inputRequests: Object.fromEntries(keys.map((key) => [key, { method: 'elicitation/create', params: form }])),
});

/** A modern rig whose `tools/call` stays open until the test responds. */
async function openCall(options: Parameters<typeof openRig>[0] = {}): Promise<Rig> {
  return openRig({ era: 'modern', ...options, script: (server) => server.onCall('tools/call', () => undefined) });
}

test('B15, B26, case 48: a call aborted in the tick its round arrives starts no callback, and its slots are free', async () => {
  const rig = await openCall({ limits: { maxServerRequests: 1 } });
  const controller = new AbortController();
  const failed = assert.rejects(rig.connection.callTool({ name: 't' }, { signal: controller.signal }), { kind: 'cancelled' });
  const { id } = await rig.server.expect('tools/call');
  rig.server.respond(id as never, round('a', 'b', 'c'));
  controller.abort();
  await failed;
  await settle();
  assert.equal(rig.runs.length, 0);
  assert.equal(rig.connection.stats().running, 0);
  assert.deepEqual(
    rig.records.map(({ outcome }) => outcome),
    ['cancelled', 'cancelled', 'cancelled'],
  );
  const next = rig.connection.callTool({ name: 't' });
  const leg = await rig.server.expect('tools/call');
  rig.server.respond(leg.id as never, round('a'));
  await (await rig.run(0)).returns(accept);
  const last = await rig.server.expect('tools/call');
  rig.server.respond(last.id as never, done);
  assert.deepEqual((await next).content, done.content);
  await rig.close();
});

test('B25: a call aborted while its entries wait for a slot leaves the queue', async () => {
  const rig = await openCall({ limits: { maxServerRequests: 1 } });
  const first = rig.connection.callTool({ name: 't' });
  rig.server.respond((await rig.server.expect('tools/call')).id as never, round('a'));
  const held = await rig.run(0);
  const controller = new AbortController();
  const failed = assert.rejects(rig.connection.callTool({ name: 't' }, { signal: controller.signal }), { kind: 'cancelled' });
  rig.server.respond((await rig.server.expect('tools/call')).id as never, round('b', 'c'));
  await settle();
  controller.abort();
  await failed;
  await held.returns(accept);
  await settle();
  assert.equal(rig.runs.length, 1);
  assert.equal(rig.connection.stats().running, 0);
  rig.server.respond((await rig.server.expect('tools/call')).id as never, done);
  await first;
  await rig.close();
});

test('case 49: a second response under a call’s first id, while its round is answered, is dropped and ends nothing', async () => {
  const rig = await openCall();
  const call = rig.connection.callTool({ name: 't' });
  const { id } = await rig.server.expect('tools/call');
  rig.server.respond(id as never, round('a'));
  const run = await rig.run(0);
  rig.server.respond(id as never, { ...done, content: [{ type: 'text', text: 'forged' }] });
  rig.server.fail(id as never, -32603, 'forged too');
  await settle();
  assert.equal(rig.connection.pendingCalls().length, 1);
  assert.equal(rig.connection.stats().dropped.response, 2);
  await run.returns(accept);
  rig.server.respond((await rig.server.expect('tools/call')).id as never, done);
  assert.deepEqual((await call).content, done.content);
  assert.deepEqual(rig.connection.pendingCalls(), []);
  await rig.close();
});

test('B17, case 49: cancelling a request whose callback is about to return, 10 000 times: never an answer after the cancel', async () => {
  let answers: Message[] = [];
  const world = createWorld({
    random: createRandom(49),
    limits: {},
    callbacks: ['elicitation'],
    streams: false,
    handshake(self) {
      self.send({ id: 'init', method: 'initialize', params: {} });
      self.deliver({ id: 'init', result: { protocolVersion: '2025-11-25', capabilities: {} } });
    },
    seen(message) {
      if (message.method === undefined) answers.push(message);
      return undefined;
    },
  });
  let silent = 0;
  for (let n = 0; n < 10_000; n++) {
    answers = [];
    const before = world.runs.length;
    world.deliver({ id: 3, method: 'elicitation/create', params: form });
    const run = world.runs[before];
    // Now and then the played pool is full.
    if (run === undefined) await world.settle();
    if (run === undefined) continue;
    for (let turns = world.random.below(4); turns > 0; turns--) await undefined;
    run.end({ type: 'returned', value: accept });
    for (let turns = world.random.below(12); turns > 0; turns--) await undefined;
    const answered = answers.length;
    world.deliver({ method: 'notifications/cancelled', params: { requestId: 3 } });
    await world.settle();
    assert.equal(answers.length, answered, 'an answer left after its cancel was processed');
    assert.ok(answered <= 1);
    if (answered === 0) silent++;
  }
  assert.ok(silent > 1_000 && silent < 9_900, `the race went one way only: ${silent}`);
  await world.finish();
});
