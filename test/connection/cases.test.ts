/** Inputs that broke other hosts, where the books of one connection decide. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallbackKind } from '../../src/contract/handler.js';
import { openRig, settle } from '../support/rig.js';

const form = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const accept = { action: 'accept', content: {} } as const;
const sampling = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 10 };

test('case 59: four forms at once, answered in the order 3, 1, 4, 2: each answer goes to its own id', async () => {
  const rig = await openRig();
  const schema = { type: 'object', properties: { n: { type: 'integer' } } };
  for (const n of [1, 2, 3, 4]) rig.ask('elicitation/create', { message: `${n}?`, requestedSchema: schema }, { id: `q${n}` });
  await rig.run(3);
  for (const n of [3, 1, 4, 2]) await rig.runs[n - 1]?.returns({ action: 'accept', content: { n } });
  const ids = rig.server.frames.filter(({ result }) => result !== undefined).map(({ id }) => id);
  assert.deepEqual(ids, ['q3', 'q1', 'q4', 'q2']);
  for (const n of [1, 2, 3, 4]) assert.deepEqual(rig.server.answersTo(`q${n}`)[0]?.result, { action: 'accept', content: { n } });
  await rig.close();
});

test('case 62: what is advertised is what can be answered; the rest is -32601 at once', async () => {
  const methods = { sampling: 'sampling/createMessage', elicitation: 'elicitation/create', roots: 'roots/list' } as const;
  const params = { sampling, elicitation: form, roots: undefined };
  const sets: readonly (readonly CallbackKind[])[] = [[], ['roots'], ['sampling'], ['elicitation'], ['sampling', 'roots']];
  for (const callbacks of sets) {
    const rig = await openRig({ callbacks, limits: { sampling: { allowIdle: true } } });
    for (const kind of ['sampling', 'elicitation', 'roots'] as const) {
      const offered = callbacks.includes(kind);
      assert.equal(rig.server.clientCapabilities?.[kind] !== undefined, offered);
      rig.ask(methods[kind], params[kind], { id: kind });
      await settle(1);
      assert.equal(rig.server.answersTo(kind)[0]?.error?.code, offered ? undefined : -32601);
    }
    assert.deepEqual(
      callbacks.includes('sampling') && (rig.server.clientCapabilities?.sampling as object),
      callbacks.includes('sampling') && {},
    );
    assert.equal(rig.runs.length, callbacks.length);
    await rig.close();
  }
});

test('case 63: accepting blindly goes as far as the form allows: an empty one passes, a required field does not, defaults fill by switch', async () => {
  const schemas = {
    empty: { type: 'object', properties: {} },
    required: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    defaults: {
      type: 'object',
      properties: { name: { type: 'string', default: 'Ada' }, sure: { type: 'boolean', default: false } },
      required: ['name', 'sure'],
    },
  };
  const expected = {
    false: { empty: accept, required: undefined, defaults: undefined },
    true: { empty: accept, required: undefined, defaults: { action: 'accept', content: { name: 'Ada', sure: false } } },
  };
  for (const applyDefaults of [false, true]) {
    const rig = await openRig({ limits: { elicitation: { applyDefaults } } });
    for (const [at, name] of (['empty', 'required', 'defaults'] as const).entries()) {
      const asked = rig.server.request('elicitation/create', { message: 'm', requestedSchema: schemas[name] });
      await (await rig.run(at)).returns(accept);
      const { result, error } = await asked;
      assert.deepEqual(result, expected[`${applyDefaults}`][name], name);
      assert.equal(error?.code, expected[`${applyDefaults}`][name] === undefined ? -32603 : undefined);
    }
    await rig.close();
  }
});

test('B58, case 64: a ping is answered at once while every slot is taken, the budget is spent and the mailbox is full', async () => {
  const rig = await openRig({ limits: { inputRateLimit: { perSecond: 0.001, burst: 8 }, notifications: { maxWaiting: 1 } } });
  for (let n = 0; n < 8; n++) rig.ask('elicitation/create', form);
  await rig.run(7);
  for (let n = 0; n < 50; n++) rig.server.notify('notifications/foo', { n });
  rig.ask('ping', undefined, { id: 99 });
  await settle(1);
  assert.deepEqual(rig.server.answersTo(99)[0]?.result, {});
  assert.equal(rig.runs.length, 8);
  await rig.close();
});
