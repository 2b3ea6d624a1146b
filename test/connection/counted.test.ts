/** Which requests of ours are calls: what the server asks meanwhile belongs to one, and only one lets it sample. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRig, settle } from '../support/rig.js';

/** A result schema that takes whatever comes. */
const anything = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const;
const sampling = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 5 };
const silentMethods = [
  ['tools/call', { name: 't' }, true],
  ['resources/read', { uri: 'x:y' }, true],
  ['prompts/get', { name: 'p' }, true],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }, true],
  ['tasks/get', { taskId: 'T' }, true],
  ['tasks/result', { taskId: 'T' }, true],
  ['tools/list', {}, false],
  ['logging/setLevel', { level: 'info' }, false],
  ['ping', {}, false],
] as const;

for (const [method, params, counts] of silentMethods)
  test(`B14, B36: ${method} is ${counts ? 'a call: what the server asks meanwhile belongs to it' : 'no call: it ties nothing, and the server is idle'}`, async () => {
    const rig = await openRig({ script: (server) => server.onCall(method, () => undefined) });
    const waiting = rig.client.request({ method, params } as never, anything as never).catch(() => {});
    const { id } = await rig.server.expect(method);
    rig.ask('roots/list', undefined, { id: 'r' });
    assert.equal((await rig.run(0)).task.context.relatedRequestId, counts ? id : null);
    rig.ask('sampling/createMessage', sampling, { id: 's' });
    await settle();
    assert.equal(rig.server.answersTo('s')[0]?.error?.code, counts ? undefined : -1);
    await rig.close();
    await waiting;
  });

test('B14, B36: a ping of ours is no call', async () => {
  const rig = await openRig({ script: (server) => server.onCall('ping', () => undefined) });
  const ping = rig.connection.ping().catch(() => {});
  await rig.server.expect('ping');
  assert.equal((await rig.server.request('sampling/createMessage', sampling)).error?.code, -1);
  await rig.close();
  await ping;
});
