import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Frame, rpcError, type ScriptedServer } from '../../src/testing/index.js';
import { openRig, type Rig, type RigOptions, settle } from '../support/rig.js';

const done = { content: [{ type: 'text', text: 'done' }] };
const url = (elicitationId: string) => ({ mode: 'url', message: 'Sign in', url: 'https://login.example/start', elicitationId });

/** A rig whose tool wants URLs `times` times before it is done. */
async function openWanting(times: number, listed: readonly unknown[] = [url('e1')], options: RigOptions = {}): Promise<Rig> {
  let left = times;
  const script = (server: ScriptedServer): void =>
    void server.onCall('tools/call', () =>
      left-- > 0 ? rpcError(-32042, 'URL elicitation required', { elicitations: listed }) : done,
    );
  return openRig({ script, ...options });
}

const calls = (rig: Rig) => rig.server.frames.filter(({ method }) => method === 'tools/call');

test('B30: -32042 puts its URLs before the callback, and the call is sent again after their completion notices', async () => {
  const rig = await openWanting(1, [url('e1'), url('e2')]);
  const call = rig.connection.callTool({ name: 't' }, { timeout: 100, assigns: { n: 1 } });
  for (const n of [0, 1]) {
    const run = await rig.run(n);
    assert.deepEqual(
      [run.task.context.assigns, run.task.context.requestId, run.task.context.relatedRequestId],
      [{ n: 1 }, `e${n + 1}`, calls(rig)[0]?.id],
    );
    await run.returns({ action: 'accept' });
  }
  rig.clock.advance(5_000);
  rig.server.notify('notifications/elicitation/complete', { elicitationId: 'e1' });
  rig.server.notify('notifications/elicitation/complete', { elicitationId: 'stranger' });
  await settle();
  assert.equal(calls(rig).length, 1);
  rig.server.notify('notifications/elicitation/complete', { elicitationId: 'e2' });
  assert.deepEqual((await call).content, done.content);
  assert.equal(calls(rig).length, 2);
  assert.notEqual(calls(rig)[1]?.id, calls(rig)[0]?.id);
  await rig.close();
});

test('B30: the call goes again at once if the callback itself waited', async () => {
  const rig = await openWanting(1);
  const call = rig.client.callTool({ name: 't' });
  await (await rig.run(0)).returns({ action: 'accept', completed: true });
  assert.deepEqual((await call).content, done.content);
  await rig.close();
});

test('B30: a call that took an earlier stream up again is sent anew, not taken up once more', async () => {
  const sent: unknown[] = [];
  const rig = await openRig({
    script(server) {
      const { transport } = server;
      const send = transport.send.bind(transport);
      transport.send = (message, options) => {
        if ((message as Frame).method === 'tools/call') sent.push((options as { resumptionToken?: unknown }).resumptionToken);
        return send(message, options);
      };
      server.onCall('tools/call', () => (sent.length === 1 ? rpcError(-32042, 'URL', { elicitations: [url('e1')] }) : done));
    },
  });
  const call = rig.connection.callTool({ name: 't' }, { resumptionToken: 'event 7' });
  await (await rig.run(0)).returns({ action: 'accept', completed: true });
  assert.deepEqual((await call).content, done.content);
  assert.deepEqual(sent, ['event 7', undefined]);
  await rig.close();
});

test('B30: a notice that never comes does not block the call for ever', async () => {
  const rig = await openWanting(1, [url('e1')], { limits: { handlerTimeout: { elicitation: 1_000 } } });
  const call = rig.connection.callTool({ name: 't' });
  await (await rig.run(0)).returns({ action: 'accept' });
  await rig.clock.advanceAsync(1_000);
  assert.deepEqual((await call).content, done.content);
  await rig.close();
});

test('case 37: a decline stops at once with the server’s own error; accepting for ever stops at the round cap', async () => {
  const declined = await openWanting(9);
  const call = assert.rejects(declined.connection.callTool({ name: 't' }), { code: -32042 });
  await (await declined.run(0)).returns({ action: 'decline' });
  await call;
  assert.equal(calls(declined).length, 1);
  await declined.close();
  const endless = await openWanting(99, [url('e1')], { limits: { rounds: { max: 3 } } });
  const capped = assert.rejects(endless.connection.callTool({ name: 't' }), { kind: 'rounds' });
  for (let n = 0; n < 3; n++) await (await endless.run(n)).returns({ action: 'accept', completed: true });
  await capped;
  await endless.close();
});

test('B30: the URLs pass the same guard; without URL mode, or under 2025-06-18, the error is the client’s', async () => {
  const bad = await openWanting(1, [{ ...url('e1'), url: 'javascript:alert(1)' }]);
  await assert.rejects(bad.connection.callTool({ name: 't' }), { kind: 'protocol', code: -32602 });
  await bad.close();
  for (const options of [{ modes: ['form'] }, { revision: '2025-06-18' }] as const) {
    const rig = await openWanting(1, [url('e1')], options as RigOptions);
    await assert.rejects(rig.connection.callTool({ name: 't' }), { code: -32042 });
    assert.equal(rig.runs.length, 0);
    await rig.close();
  }
});

test('B30: an odd -32042 is protocol', async () => {
  for (const listed of [
    [],
    [{}],
    [url('same'), url('same')],
    [{ ...url('e'), mode: 'form' }],
    Array.from({ length: 17 }, (_, n) => url(`e${n}`)),
  ]) {
    const rig = await openWanting(1, listed);
    await assert.rejects(rig.connection.callTool({ name: 't' }), { kind: 'protocol' });
    await rig.close();
  }
});

test('B60: the notice can be sent in the legacy era, as it was given', async () => {
  const rig = await openRig();
  await rig.connection.notify('notifications/elicitation/complete', { elicitationId: 'e1' });
  const { params } = await rig.server.expect('notifications/elicitation/complete');
  assert.deepEqual(params, { elicitationId: 'e1' });
  await rig.close();
});

test('B60, case 35: unknown and repeated completion ids are ignored, and ids never match across servers', async () => {
  const [here, there] = [await openRig(), await openRig()];
  const heard: unknown[] = [];
  for (const rig of [here, there]) rig.connection.on('notification', (_method, params) => heard.push([rig === here, params]));
  const asked = here.server.request('elicitation/create', url('e9'));
  await (await here.run(0)).returns({ action: 'accept', content: { token: 'x' } } as never);
  void asked.catch(() => {});
  for (const rig of [here, there])
    for (const elicitationId of ['e9', 'e9', 'unknown'])
      rig.server.notify('notifications/elicitation/complete', { elicitationId });
  await settle();
  assert.deepEqual(heard, [[true, { elicitationId: 'e9' }]]);
  await here.close();
  await there.close();
});
