import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOutbox } from '../../src/connection/outbox.js';
import { errorOf } from '../../src/era/legacy.js';

const refusal = (id: string | number) => errorOf(id, { code: -32000, message: 'busy' });

function slowTransport(atOnce = 32) {
  const sent: unknown[] = [];
  const landings: ((how?: Error) => void)[] = [];
  const outbox = createOutbox((response) => {
    sent.push(response.id);
    return new Promise((resolve, reject) => landings.push((error) => (error === undefined ? resolve() : reject(error))));
  }, atOnce);
  const post = (response: ReturnType<typeof refusal>): void => void outbox.queue(response).catch(() => {});
  return { sent, landings, outbox, post };
}

test('refusals leave in order, 32 at a time, whether those before them arrived or were lost', async () => {
  const { sent, landings, post } = slowTransport();
  for (let n = 0; n < 100; n++) post(refusal(n));
  assert.equal(sent.length, 32);
  for (let n = 0; n < 100; n++) {
    landings[n]?.(n % 2 === 0 ? undefined : new Error('lost'));
    await new Promise(setImmediate);
    assert.equal(sent.length, Math.min(100, 33 + n));
  }
  assert.deepEqual(sent, [...Array(100).keys()]);
  post(refusal('next'));
  assert.equal(sent.at(-1), 'next');
});

test('a pipe is given one refusal at a time', async () => {
  const { sent, landings, post } = slowTransport(1);
  for (let n = 0; n < 3; n++) post(refusal(n));
  assert.deepEqual(sent, [0]);
  landings[0]?.();
  await new Promise(setImmediate);
  assert.deepEqual(sent, [0, 1]);
});

test('it is full by count or by the length of ids, and takes again once cleared', async () => {
  const { landings, outbox, post } = slowTransport();
  for (let n = 0; n < 40; n++) post(refusal('x'.repeat(2 ** 19)));
  assert.equal(outbox.full, true);
  outbox.clear();
  for (const land of landings) land();
  await new Promise(setImmediate);
  assert.equal(outbox.full, false);
  for (let n = 0; n < 50_000; n++) post(refusal(n));
  assert.equal(outbox.full, true);
});

test('an answer is measured where others are stuck, so that unread ones fill it by their size', async () => {
  const { landings, outbox } = slowTransport(1);
  const answer = { jsonrpc: '2.0', id: 1, result: { roots: 'x'.repeat(2 ** 20) } } as const;
  for (let n = 0; n < 17; n++) void outbox.queue(answer);
  assert.equal(outbox.full, true);
  for (let n = 0; n < 17; n++) {
    landings[n]?.();
    await new Promise(setImmediate);
  }
  assert.equal(outbox.full, false);
});

test('queueing settles as the sending does, and at once for what is cleared away', async () => {
  const { landings, outbox } = slowTransport(1);
  const [first, second] = [outbox.queue(refusal(1)), outbox.queue(refusal(2))];
  outbox.clear();
  await second;
  landings[0]?.(new Error('lost'));
  await assert.rejects(first, /lost/);
});
