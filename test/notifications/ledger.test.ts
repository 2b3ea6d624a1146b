import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConsumerItem } from '../../src/isolation/isolation.js';
import { createLedger } from '../../src/isolation/ledger.js';

const item = (sequence: number, connectionId: number): ConsumerItem => ({
  sequence,
  connectionId,
  kind: 'notification',
  params: undefined,
  context: { client: 'host', serverId: 'a', era: 'legacy' },
  busyTimeout: 0,
});

test('B51: items of a connection begin in order, one at a time, and connections beside each other', () => {
  const ledger = createLedger();
  ledger.add([item(0, 1), item(1, 1), item(2, 2)]);
  assert.equal(ledger.begin(0)?.item.sequence, 0);
  assert.equal(ledger.begin(2)?.item.sequence, 2);
  assert.equal(ledger.running.size, 2);
  assert.equal(ledger.end(2)?.sequence, 2);
  const next = ledger.begin(1);
  assert.deepEqual([next?.item.sequence, next?.ended?.sequence], [1, 0]);
  assert.deepEqual(
    [...ledger.running].map(({ sequence }) => sequence),
    [1],
  );
  assert.equal(ledger.size, 1);
});

for (const [lie, tell] of [
  ['a number that was never handed over', (ledger) => ledger.begin(9)],
  ['no number', (ledger) => ledger.begin(Number.NaN)],
  ['a beginning out of turn', (ledger) => ledger.begin(1)],
  ['an end before the beginning', (ledger) => ledger.end(0)],
  ['a second beginning', (ledger) => ledger.begin(0) && ledger.begin(0)],
  ['a second end', (ledger) => ledger.begin(0) && ledger.end(0) && ledger.end(0)],
  ['a connection forgotten unasked', (ledger) => ledger.forgot(1) || undefined],
  ['a connection forgotten twice', (ledger) => (ledger.forget(1) && ledger.forgot(1) && ledger.forgot(1)) || undefined],
  ['a beginning after the connection was forgotten', (ledger) => (ledger.forget(1) && ledger.forgot(1) ? ledger.begin(0) : true)],
] as [string, (ledger: ReturnType<typeof createLedger>) => unknown][]) {
  test(`the ledger knows a lie: ${lie}`, () => {
    const ledger = createLedger();
    ledger.add([item(0, 1), item(1, 1)]);
    assert.equal(tell(ledger), undefined);
  });
}

test('the context of a connection is wanted once, and again after its items were taken back or it was forgotten', () => {
  const ledger = createLedger();
  const items = [item(0, 1), item(1, 1), item(2, 2)];
  const fresh = ledger.add(items);
  assert.deepEqual(
    fresh.map(({ sequence }) => sequence),
    [0, 2],
  );
  assert.deepEqual(ledger.add([item(3, 1)]), []);
  ledger.withdraw([item(3, 1)], []);
  ledger.withdraw(items, fresh);
  assert.equal(ledger.size, 0);
  assert.equal(ledger.add([item(4, 1)]).length, 1);
  ledger.forget(1);
  ledger.forgot(1);
  assert.equal(ledger.add([item(5, 1)]).length, 1);
});

test('B20: a forgotten connection may have begun an item before it heard; that one still ends, the others never begin', () => {
  const ledger = createLedger();
  ledger.add([item(0, 1), item(1, 1)]);
  assert.equal(ledger.forget(1), true);
  assert.equal(ledger.forget(1), false);
  ledger.begin(0);
  assert.equal(ledger.forgot(1), true);
  assert.equal(ledger.size, 1);
  assert.equal(ledger.end(0)?.sequence, 0);
  assert.equal(ledger.size, 0);
  assert.equal(ledger.forget(1), false);
});

test('the oldest that has not ended is the first', () => {
  const ledger = createLedger();
  assert.equal(ledger.first(), undefined);
  ledger.add([item(0, 1), item(1, 2)]);
  ledger.begin(0);
  assert.equal(ledger.first()?.sequence, 0);
  ledger.end(0);
  assert.equal(ledger.first()?.sequence, 1);
  ledger.clear();
  assert.deepEqual([ledger.first(), ledger.running.size, ledger.size], [undefined, 0, 0]);
});
