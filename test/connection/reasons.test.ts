import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRig, settle } from '../support/rig.js';

const sampling = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 10 };
const changed = 'notifications/roots/list_changed';

test('case 74: policy, a missing callback and a person who says no are three different refusals, here and on the wire', async () => {
  const silent = await openRig({ callbacks: ['roots'] });
  const rig = await openRig({ limits: { sampling: { rejectionCode: -2 } } });
  const unsupported = await silent.server.request('sampling/createMessage', sampling);
  const policy = await rig.server.request('sampling/createMessage', sampling);
  const willing = await openRig({ limits: { sampling: { allowIdle: true } } });
  const asked = willing.server.request('sampling/createMessage', sampling);
  await (await willing.run(0)).ends({ type: 'refused', code: -1, message: 'User rejected sampling request' });
  assert.deepEqual([unsupported.error?.code, policy.error?.code, (await asked).error?.code], [-32601, -2, -1]);
  const told = [silent, rig, willing].map(({ records: [record] }) => [record?.outcome, record?.stages]);
  assert.deepEqual(
    told.map(([outcome]) => outcome),
    ['refused', 'refused', 'refused'],
  );
  assert.equal(silent.records[0]?.stages.capability, 'refused');
  assert.equal(rig.records[0]?.stages.guard, 'refused');
  assert.equal(willing.records[0]?.stages.callback, 'refused');
  for (const one of [silent, rig, willing]) await one.close();
});

test('a refusal of the params as a whole names no place', async () => {
  const rig = await openRig();
  const answer = await rig.server.request('elicitation/create', [] as never);
  assert.equal(answer.error?.message, 'params must be an object');
  assert.equal(rig.records[0]?.reason, 'params must be an object');
  await rig.close();
});

test('B50, case 84: changes within a tick, and while the list is being answered, are announced once each, after the new list is there', async () => {
  const rig = await openRig({ limits: { roots: { listChanged: true } } });
  const announced = (): number => rig.server.frames.filter(({ method }) => method === changed).length;
  let folders = ['/one'];
  const list = async (n: number): Promise<unknown> => {
    const answer = rig.server.request('roots/list');
    const run = await rig.run(n);
    await run.returns({ roots: folders.map((uri) => ({ uri })) });
    return (await answer).result;
  };
  const first = rig.server.request('roots/list');
  const run = await rig.run(0);
  folders = ['/one', '/two'];
  rig.connection.rootsChanged();
  rig.connection.rootsChanged();
  await settle();
  assert.equal(announced(), 1, 'a list that is being answered holds nothing up');
  await run.returns({ roots: [{ uri: '/one' }] });
  assert.deepEqual((await first).result, { roots: [{ uri: 'file:///one' }] });
  assert.deepEqual(await list(1), { roots: [{ uri: 'file:///one' }, { uri: 'file:///two' }] });
  rig.connection.rootsChanged();
  await settle();
  assert.equal(announced(), 2);
  await rig.close();
});

test('B50, case 84: nothing is announced where it was not declared, and nothing in the modern era', async () => {
  for (const options of [{}, { era: 'modern', limits: { roots: { listChanged: true } } } as const]) {
    const rig = await openRig(options);
    rig.connection.rootsChanged();
    await settle();
    assert.ok(!rig.server.frames.some(({ method }) => method === changed));
    await rig.close();
  }
});
