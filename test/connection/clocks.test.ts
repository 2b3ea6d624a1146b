/** Deadlines of callbacks: where they come from, when they begin, and who reads them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContextData } from '../../src/contract/handler.js';
import { openRig, type Rig, type RigOptions, settle } from '../support/rig.js';

const formParams = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const form = { method: 'elicitation/create', params: formParams };
const url = {
  method: 'elicitation/create',
  params: { mode: 'url', message: 'm', url: 'https://x.example/', elicitationId: 'e' },
};
const sampling = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 5 },
};
const roots = { method: 'roots/list' };
const accept = { action: 'accept', content: {} } as const;
const done = { resultType: 'complete', content: [] };

const round = (entries: object): object => ({ resultType: 'input_required', inputRequests: entries });

/** A rig whose `tools/call` stays open until the test responds. */
async function openCall(options: RigOptions = {}): Promise<Rig> {
  return openRig({ ...options, script: (server) => server.onCall('tools/call', () => undefined) });
}

const eras = ['legacy', 'modern'] as const;

/** Asks inside a call of the host: as a request in the legacy era, as a round in the modern one. */
async function askInCall(rig: Rig, question: { method: string; params?: object }): Promise<void> {
  const { id } = await rig.server.expect('tools/call');
  if (rig.connection.era === 'legacy') rig.ask(question.method, question.params, { id: 'q' });
  else rig.server.respond(id as never, round({ q: question }));
}

for (const era of eras)
  test(`case 42: ${era}: the callback’s deadline is the call’s, else the connection’s, by kind; context and record say it`, async () => {
    const rows = [
      [{ handlerTimeout: 1_000 }, {}, 1_000],
      [{ handlerTimeout: { elicitation: 700 } }, {}, 700],
      [{ handlerTimeout: { sampling: 700 } }, {}, 300_000],
      [{ handlerTimeout: 1_000 }, { handlerTimeout: 400 }, 400],
      [{ handlerTimeout: 1_000 }, { handlerTimeout: { elicitation: 2_000 } }, 2_000],
      [{ handlerTimeout: 1_000 }, { handlerTimeout: { sampling: 5 } }, 1_000],
      [{}, {}, 300_000],
    ] as const;
    for (const [limits, options, expected] of rows) {
      const rig = await openCall({ era, limits });
      const call = rig.connection.callTool({ name: 't' }, { ...options, timeout: 2_000_000, maxTotalTimeout: 2_000_000 });
      const ended = call.catch(() => {});
      await askInCall(rig, form);
      const run = await rig.run(0);
      assert.equal((run.task.context as ContextData).deadline, rig.clock.now() + expected);
      rig.clock.advance(expected - 1);
      await settle();
      assert.equal(run.killed, undefined);
      rig.clock.advance(1);
      assert.equal(run.killed, 'timeout');
      await settle();
      assert.equal(rig.records[0]?.deadline, rig.clock.now());
      await rig.close();
      await ended;
    }
  });

test('case 42: a wrong handlerTimeout of a call is an options error and leaves no timer', async () => {
  const rig = await openCall();
  for (const handlerTimeout of [0, -1, 'x', { elicitation: 1.5 }, { forms: 1 }])
    await assert.rejects(rig.connection.callTool({ name: 't' }, { handlerTimeout: handlerTimeout as never }), {
      kind: 'options',
      message: /handlerTimeout/,
    });
  assert.equal(rig.clock.pending, 0);
  await rig.close();
});

test('case 38: with ten minutes for a form, answers after 61 s and 599 s arrive; at 601 s it has settled once', async () => {
  for (const [after, code] of [
    [61_000, undefined],
    [599_000, undefined],
    [601_000, -32603],
  ] as const) {
    const rig = await openRig({ limits: { handlerTimeout: { elicitation: 600_000 } } });
    rig.ask(form.method, form.params, { id: 'q' });
    const run = await rig.run(0);
    rig.clock.advance(after);
    await run.returns(accept);
    assert.deepEqual(
      rig.server.answersTo('q').map(({ error }) => error?.code),
      [code],
    );
    await rig.close();
  }
});

test('case 41: a callback that never settles is killed at its deadline and answered exactly once', async () => {
  const rig = await openRig({ limits: { handlerTimeout: 500 } });
  rig.ask(form.method, form.params, { id: 'q' });
  const run = await rig.run(0);
  await rig.clock.advanceAsync(10_000);
  await run.returns(accept);
  assert.equal(rig.server.answersTo('q').length, 1);
  assert.deepEqual(
    rig.records.map(({ outcome, stages }) => [outcome, stages.callback]),
    [['killed', 'timeout']],
  );
  assert.equal(rig.connection.stats().running, 0);
  await rig.close();
});

for (const era of eras)
  test(`case 45: ${era}: form, page, sampling and roots that time out fail by one rule, with the reason kept here; cancel on request for elicitation alone`, async () => {
    for (const onTimeout of ['error', 'cancel'] as const)
      for (const question of [form, url, sampling, roots]) {
        const rig = await openCall({ era, limits: { handlerTimeout: 50, elicitation: { onTimeout } } });
        const call = rig.connection.callTool({ name: 't' });
        const ended = call.then(
          () => 'went on',
          ({ kind }) => kind,
        );
        await askInCall(rig, question);
        await rig.run(0);
        await rig.clock.advanceAsync(50);
        await settle();
        const cancels = onTimeout === 'cancel' && question.method === 'elicitation/create';
        assert.equal(rig.records[0]?.stages.callback, 'timeout');
        assert.equal(rig.records[0]?.outcome, cancels ? 'answered' : 'killed');
        if (era === 'legacy') {
          const [answer] = rig.server.answersTo('q');
          assert.deepEqual(
            [answer?.error?.code, answer?.result],
            cancels ? [undefined, { action: 'cancel' }] : [-32603, undefined],
          );
        } else if (cancels) rig.server.respond((await rig.server.expect('tools/call')).id as never, done);
        else assert.equal(await ended, 'input_handler');
        await rig.close();
        await ended;
      }
  });

test('B10: an entry that waits in line for a slot is timed out at its deadline, not when a slot comes free', async () => {
  const rig = await openCall({
    era: 'modern',
    limits: { maxServerRequests: 1, handlerTimeout: { elicitation: 1_000, roots: 100 } },
  });
  const failed = assert.rejects(rig.connection.callTool({ name: 't' }), { kind: 'input_handler', message: /timeout/ });
  rig.server.respond((await rig.server.expect('tools/call')).id as never, round({ a: form, b: roots }));
  const first = await rig.run(0);
  await rig.clock.advanceAsync(100);
  await failed;
  assert.equal(first.killed, 'sibling failed');
  assert.deepEqual(rig.records.map(({ kind, outcome }) => [kind, outcome]).sort(), [
    ['elicitation', 'killed'],
    ['roots', 'killed'],
  ]);
  assert.deepEqual([rig.connection.stats().running, rig.connection.stats().books.waiting, rig.clock.pending], [0, 0, 0]);
  await rig.close();
});

test('B10, B31: the time of entries that wait for tokens begins when they are accepted', async () => {
  const rig = await openCall({
    era: 'modern',
    limits: { handlerTimeout: 500, inputRateLimit: { perSecond: 1, burst: 1, whenOver: 'wait' } },
  });
  const call = rig.connection.callTool({ name: 't' });
  rig.server.respond((await rig.server.expect('tools/call')).id as never, round({ a: form, b: form }));
  await settle();
  await rig.clock.advanceAsync(1_000);
  const [first, second] = [await rig.run(0), await rig.run(1)];
  assert.equal((first.task.context as ContextData).deadline, rig.clock.now() + 500);
  await rig.clock.advanceAsync(499);
  await first.returns(accept);
  await second.returns(accept);
  rig.server.respond((await rig.server.expect('tools/call')).id as never, done);
  await call;
  assert.equal(rig.records[0]?.deadline, rig.clock.now() + 1);
  await rig.close();
});
