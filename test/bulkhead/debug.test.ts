/** The `debug` switch, with a real inspector: time stands still for a callback while one is attached, and goes on when it is gone. */
import assert from 'node:assert/strict';
import inspector from 'node:inspector';
import { test } from 'node:test';
import { form, openHost } from '../support/host.js';

const short = { handlerTimeout: { elicitation: 100 } };

test('with debug no deadline ends a callback while an inspector is attached; without debug, or without an inspector, it does', async (t) => {
  inspector.open(0, '127.0.0.1');
  t.after(() => inspector.url() !== undefined && inspector.close());
  const debugging = await openHost({ ...short, debug: true });
  t.after(() => debugging.bulkhead.close());
  const plain = await openHost(short);
  t.after(() => plain.bulkhead.close());
  assert.deepEqual((await debugging.server.request('elicitation/create', form('wait'))).result, {
    action: 'accept',
    content: {},
  });
  assert.equal((await plain.server.request('elicitation/create', form('wait'))).error?.code, -32603);
  assert.equal(plain.bulkhead.stats().isolation[0]?.kills, 1);
  inspector.close();
  assert.equal((await debugging.server.request('elicitation/create', form('wait'))).error?.code, -32603);
  assert.equal(debugging.bulkhead.stats().isolation[0]?.kills, 1);
});
