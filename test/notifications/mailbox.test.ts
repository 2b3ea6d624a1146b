import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../src/contract/handler.js';
import {
  createNotifications,
  type Drops,
  type Mailbox,
  type MailboxFault,
  type MailboxSettings,
} from '../../src/notifications/mailbox.js';
import { createManualClock } from '../../src/testing/index.js';
import { createFakeConsumer } from './fake.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function setUp(options: { dieOnKill?: boolean } = {}) {
  const clock = createManualClock();
  const consumer = createFakeConsumer(options);
  const reports: string[] = [];
  const drops: Drops[] = [];
  const faults: MailboxFault[] = [];
  let starts = 0;
  let halted = false;
  const notifications = createNotifications({
    halted: () => halted,
    clock,
    async consumer() {
      starts++;
      return consumer;
    },
    report: ({ type }) => reports.push(type),
  });
  const open = (id: number, overrides: Partial<MailboxSettings> = {}): Mailbox =>
    notifications.open({
      id,
      context: { client: 'host', serverId: `server-${id}`, era: 'legacy' },
      limits: { maxWaiting: 1000, timeout: 60_000 },
      busyTimeout: { notification: 10_000, log: 10_000 },
      killGrace: 0,
      wants: () => true,
      onDropped: (each) => drops.push(each),
      onFault: (fault) => faults.push(fault),
      ...overrides,
    });
  const halt = (now: boolean): void => {
    halted = now;
  };
  return { clock, consumer, notifications, open, reports, drops, faults, halt, starts: () => starts };
}

const numbers = (consumer: { begun: readonly { params: unknown }[] }): Json[] =>
  consumer.begun.map(({ params }) => (params as { params: { n: number } }).params.n);

const push = (mailbox: Mailbox, from: number, to: number, method = 'notifications/x'): void => {
  for (let n = from; n < to; n++) mailbox.notify(method, { n });
};

test('B51: nothing is started for a kind the module does not export, nor before the first item', async () => {
  const { open, consumer, starts } = setUp();
  const mailbox = open(1, { wants: (kind) => kind === 'log' });
  mailbox.notify('notifications/x', {});
  await turn();
  assert.equal(starts(), 0);
  mailbox.log({ level: 'info', data: 'hello' });
  await turn();
  assert.equal(starts(), 1);
  assert.deepEqual(consumer.begin(1).params, { level: 'info', data: 'hello' });
  assert.equal(mailbox.stats().pushed, 1);
});

test('B51: items run in the order of arrival, logs and notifications in one line', async () => {
  const { open, consumer } = setUp();
  const mailbox = open(1);
  mailbox.notify('notifications/x', { n: 0 });
  mailbox.log({ level: 'info', data: 1 });
  mailbox.notify('notifications/y', { n: 2 });
  await turn();
  await consumer.drain();
  assert.deepEqual(
    consumer.begun.map(({ kind }) => kind),
    ['notification', 'log', 'notification'],
  );
  assert.deepEqual(mailbox.stats(), { pushed: 3, running: 0, waiting: 0, delivered: 3, failed: 0, killed: 0, dropped: 0 });
});

test('B51: each item carries the context and the busy limit of its own connection and kind', async () => {
  const { open, consumer } = setUp();
  open(7, { busyTimeout: { notification: 11, log: 22 } }).log({ level: 'info', data: null });
  await turn();
  const { context, busyTimeout, connectionId } = consumer.begin(7);
  assert.deepEqual([context.serverId, busyTimeout, connectionId], ['server-7', 22, 7]);
});

test('B51, case 95: one runs, exactly 1000 wait, the newer ones are dropped and reported once as a count', async () => {
  const { open, consumer, clock, drops } = setUp();
  const mailbox = open(1);
  push(mailbox, 0, 5000);
  await turn();
  consumer.begin(1);
  push(mailbox, 5000, 5010, 'notifications/y');
  assert.deepEqual(mailbox.stats(), {
    pushed: 5010,
    running: 1,
    waiting: 1000,
    delivered: 0,
    failed: 0,
    killed: 0,
    dropped: 4009,
  });
  assert.deepEqual(drops, []);
  clock.advance(1000);
  clock.advance(60_000 - 1001);
  assert.deepEqual(
    drops.map(({ count, byMethod }) => [count, ...byMethod]),
    [[4009, ['notifications/x', 3999], ['notifications/y', 10]]],
  );
  consumer.finish(1);
  await turn();
  await consumer.drain();
  assert.deepEqual(
    numbers(consumer),
    Array.from({ length: 1001 }, (_, n) => n),
  );
  assert.equal(mailbox.stats().delivered, 1001);
});

test('B51: reports of drops add up to all drops, one a second at most, the rest at the end', async () => {
  const { open, clock, drops } = setUp();
  const mailbox = open(1, { limits: { maxWaiting: 0, timeout: 60_000 } });
  for (let second = 0; second < 3; second++) {
    push(mailbox, 0, 100);
    clock.advance(1000);
  }
  push(mailbox, 0, 5);
  mailbox.close();
  assert.deepEqual(
    drops.map(({ count }) => count),
    [99, 100, 100, 5],
  );
  clock.advance(10_000);
  assert.equal(drops.length, 4);
});

test('B51: names of dropped methods are bounded in number and length', async () => {
  const { open, clock, drops } = setUp();
  const mailbox = open(1, { limits: { maxWaiting: 0, timeout: 60_000 } });
  for (let n = 0; n < 1000; n++) mailbox.notify(`notifications/${n}${'x'.repeat(5000)}`, {});
  clock.advance(1000);
  const names = [...(drops[0]?.byMethod.keys() ?? [])];
  assert.equal(drops[0]?.count, 999);
  assert.equal(names.length, 33);
  assert.ok(names.every((name) => name.length <= 200));
  assert.equal(drops[0]?.byMethod.get(''), 999 - 32);
});

test('B51: the last list_changed of its kind survives a flood, behind what came before it', async () => {
  const { open, consumer } = setUp();
  const mailbox = open(1, { limits: { maxWaiting: 2, timeout: 60_000 } });
  push(mailbox, 0, 3);
  for (let n = 3; n < 1000; n++) mailbox.notify('notifications/tools/list_changed', { n });
  mailbox.notify('notifications/prompts/list_changed', { n: 1000 });
  mailbox.notify('notifications/tools/list_changed', { n: 1001 });
  push(mailbox, 1002, 1010);
  assert.equal(mailbox.stats().waiting, 3 + 2);
  await turn();
  await consumer.drain();
  push(mailbox, 1010, 1011);
  await turn();
  await consumer.drain();
  assert.deepEqual(numbers(consumer), [0, 1, 2, 1000, 1001, 1010]);
  const { pushed, delivered, dropped } = mailbox.stats();
  assert.deepEqual([pushed, delivered, dropped], [1011, 6, 1005]);
});

test('B51: invented list_changed kinds cannot make a mailbox grow', () => {
  const mailbox = setUp().open(1, { limits: { maxWaiting: 0, timeout: 60_000 } });
  for (let n = 0; n < 1000; n++) mailbox.notify(`notifications/${n}/list_changed`, {});
  assert.ok(mailbox.stats().waiting <= 17);
  assert.equal(mailbox.stats().waiting + mailbox.stats().dropped, 1000);
});

test('B51: items go out in batches, and no more than 64 of a connection are out at once', async () => {
  const { open, consumer } = setUp();
  push(open(1), 0, 500);
  await turn();
  let out = consumer.batches.reduce((sum, size) => sum + size, 0);
  assert.equal(out, 32);
  for (let n = 0; n < 500; n++) {
    consumer.begin(1);
    consumer.finish(1);
    await turn();
    out = consumer.batches.reduce((sum, size) => sum + size, 0) - (n + 1);
    assert.ok(out <= 64, `${out} are out`);
  }
  assert.ok(consumer.batches.length <= 17, `${consumer.batches.length} batches`);
});

test('B51, case 94: a connection whose callback is slow does not hold up another', async () => {
  const { open, consumer } = setUp();
  const [slow, quick] = [open(1), open(2)];
  push(slow, 0, 3);
  push(quick, 0, 200);
  await turn();
  consumer.begin(1);
  for (let n = 0; n < 200; n++) {
    consumer.begin(2);
    consumer.finish(2);
    await turn();
  }
  assert.deepEqual([slow.stats().running, slow.stats().waiting, quick.stats().delivered], [1, 2, 200]);
});

test('B51: a throw is reported and skipped', async () => {
  const { open, consumer, faults } = setUp();
  const mailbox = open(1);
  push(mailbox, 0, 2);
  await turn();
  consumer.begin(1);
  consumer.finish(1, { name: 'TypeError', message: 'no' });
  consumer.begin(1);
  consumer.finish(1);
  assert.deepEqual(faults, [
    { kind: 'notification', method: 'notifications/x', reason: 'threw', fault: { name: 'TypeError', message: 'no' } },
  ]);
  assert.deepEqual([mailbox.stats().delivered, mailbox.stats().failed], [1, 1]);
});

test('B51: one that takes 60 s is killed and the next goes on; the clock is its own', async () => {
  const { open, consumer, clock, faults } = setUp();
  const mailbox = open(1);
  push(mailbox, 0, 3);
  await turn();
  consumer.begin(1);
  clock.advance(50_000);
  consumer.finish(1);
  consumer.begin(1);
  clock.advance(59_999);
  assert.deepEqual(consumer.kills, []);
  clock.advance(1);
  assert.deepEqual(consumer.kills, ['timeout']);
  assert.deepEqual(
    faults.map(({ reason }) => reason),
    ['timeout'],
  );
  consumer.resume();
  await turn();
  await consumer.drain();
  assert.deepEqual(numbers(consumer), [0, 1, 2]);
  assert.deepEqual(mailbox.stats(), { pushed: 3, running: 0, waiting: 0, delivered: 2, failed: 0, killed: 1, dropped: 0 });
});

test('B51: on the death of the consumer what runs is skipped, what waits is not lost and keeps its place', async () => {
  const { open, consumer, faults, reports } = setUp();
  const [one, two] = [open(1), open(2)];
  push(one, 0, 100);
  push(two, 1000, 1003);
  await turn();
  consumer.begin(1);
  consumer.finish(1);
  consumer.begin(1);
  const blamed = consumer.begin(2);
  consumer.die({ reason: 'exit', blamed: blamed.sequence });
  push(one, 100, 110);
  consumer.resume();
  await turn();
  await consumer.drain();
  const begun = numbers(consumer) as number[];
  assert.deepEqual(
    begun.filter((n) => n < 1000),
    Array.from({ length: 110 }, (_, n) => n),
  );
  assert.deepEqual(
    begun.filter((n) => n >= 1000),
    [1000, 1001, 1002],
  );
  assert.deepEqual(
    faults.map(({ reason }) => reason),
    ['lost', 'exit'],
  );
  assert.deepEqual([one.stats().killed, one.stats().delivered, two.stats().killed, two.stats().delivered], [1, 109, 1, 2]);
  assert.deepEqual(reports, ['consumer died']);
});

test('B51: whatever the dead consumer still says is stale', async () => {
  const { open, consumer } = setUp();
  const mailbox = open(1);
  push(mailbox, 0, 2);
  await turn();
  const first = consumer.begin(1);
  consumer.die({ reason: 'exit', blamed: null });
  consumer.say().done(first.sequence, null);
  consumer.say().started(first.sequence + 1);
  assert.deepEqual([mailbox.stats().running, mailbox.stats().waiting], [0, 1]);
  consumer.resume();
  await turn();
  assert.equal((consumer.begin(1).params as { params: { n: number } }).params.n, 1);
  assert.deepEqual(consumer.kills, []);
});

test('B51: a worker that nothing of a connection gets through to for 60 s is killed, and what waits there is not lost', async () => {
  const { open, consumer, clock, faults } = setUp();
  const mailbox = open(1);
  push(mailbox, 0, 2);
  await turn();
  clock.advance(59_999);
  assert.deepEqual(consumer.kills, []);
  clock.advance(1);
  assert.deepEqual(consumer.kills, ['timeout']);
  consumer.resume();
  await turn();
  await consumer.drain();
  assert.deepEqual(numbers(consumer), [0, 1]);
  assert.deepEqual(faults, []);
});

test('B20: closing a mailbox drops what waits, and kills what runs if it runs alone', async () => {
  const { open, consumer, faults } = setUp();
  const mailbox = open(1);
  push(mailbox, 0, 10);
  await turn();
  consumer.begin(1);
  mailbox.close();
  mailbox.close();
  push(mailbox, 10, 20);
  assert.deepEqual(consumer.kills, ['closed']);
  assert.deepEqual(faults, []);
  assert.deepEqual(mailbox.stats(), { pushed: 10, running: 0, waiting: 0, delivered: 0, failed: 0, killed: 1, dropped: 9 });
});

test('B20: closing a mailbox hurts nobody who runs beside it, and its own callback keeps its clock', async () => {
  const { open, consumer, clock } = setUp();
  const [one, two] = [open(1), open(2)];
  push(one, 0, 10);
  push(two, 0, 1);
  await turn();
  consumer.begin(1);
  clock.advance(1);
  consumer.begin(2);
  one.close();
  assert.deepEqual(consumer.kills, []);
  consumer.finish(2);
  assert.equal(two.stats().delivered, 1);
  clock.advance(59_999);
  assert.deepEqual(consumer.kills, ['timeout']);
  assert.deepEqual(one.stats(), { pushed: 10, running: 0, waiting: 0, delivered: 0, failed: 0, killed: 1, dropped: 9 });
});

test('an item that cannot be cloned fails alone, and its neighbours go on in order', async () => {
  const { open, consumer, faults } = setUp();
  const [one, two] = [open(1), open(2)];
  push(one, 0, 1);
  one.notify('notifications/x', { n: (() => 1) as never });
  push(one, 2, 3);
  push(two, 0, 1);
  await turn();
  await consumer.drain();
  assert.deepEqual(numbers(consumer), [0, 0, 2]);
  assert.deepEqual([one.stats().delivered, one.stats().failed, two.stats().delivered], [2, 1, 1]);
  assert.equal(faults.length, 1);
});

test('a consumer that cannot start is tried again after a pause that grows, and nothing waiting is lost', async () => {
  const clock = createManualClock();
  const consumer = createFakeConsumer();
  let starts = 0;
  const reports: unknown[] = [];
  const notifications = createNotifications({
    clock,
    consumer: () => (++starts < 3 ? Promise.reject(new Error('not yet')) : Promise.resolve(consumer)),
    report: (event) => reports.push(event.type),
  });
  const mailbox = notifications.open({
    id: 1,
    context: { client: 'host', serverId: 'a', era: 'modern' },
    limits: { maxWaiting: 10, timeout: 60_000 },
    busyTimeout: { notification: 0, log: 0 },
    killGrace: 0,
    wants: () => true,
    onDropped: () => undefined,
    onFault: () => undefined,
  });
  push(mailbox, 0, 3);
  await clock.advanceAsync(1000);
  assert.equal(starts, 2);
  await clock.advanceAsync(1999);
  assert.equal(starts, 2);
  await clock.advanceAsync(1);
  assert.deepEqual(reports, ['consumer not started', 'consumer not started']);
  await consumer.drain();
  assert.deepEqual(numbers(consumer), [0, 1, 2]);
});

test('closing the room closes the consumer, counts what ran as killed, and leaves no timer', async () => {
  const { open, consumer, clock, notifications } = setUp();
  const mailbox = open(1);
  push(mailbox, 0, 5000);
  await turn();
  consumer.begin(1);
  await notifications.close();
  assert.equal(consumer.closed, true);
  assert.equal(clock.pending, 0);
  assert.deepEqual(mailbox.stats(), { pushed: 5000, running: 0, waiting: 0, delivered: 0, failed: 0, killed: 1, dropped: 4999 });
});

test('a room closed while its consumer starts closes that consumer too', async () => {
  const { open, consumer, notifications } = setUp();
  push(open(1), 0, 1);
  await notifications.close();
  await turn();
  assert.equal(consumer.closed, true);
});

test('B51: a million pushed while the callback is blocked: exact counts, order kept, nothing else kept', async () => {
  const { open, consumer, drops, notifications } = setUp();
  const mailbox = open(1);
  push(mailbox, 0, 1);
  await turn();
  consumer.begin(1);
  push(mailbox, 1, 1_000_000);
  const { running, waiting, dropped } = mailbox.stats();
  assert.deepEqual([running, waiting, dropped], [1, 1000, 1_000_000 - 1001]);
  consumer.finish(1);
  await turn();
  await consumer.drain();
  assert.deepEqual(
    numbers(consumer),
    Array.from({ length: 1001 }, (_, n) => n),
  );
  await notifications.close();
  assert.deepEqual(
    drops.map(({ count }) => count),
    [998_999],
  );
});

test('B51: until the consumer is dead its acknowledgements count; all that were late are blamed, who ran beside them is lost', async () => {
  const { open, consumer, clock, faults } = setUp({ dieOnKill: false });
  const [late, alsoLate, quick] = [open(1), open(2), open(3)];
  for (const mailbox of [late, alsoLate, quick]) push(mailbox, 0, 2);
  await turn();
  consumer.begin(1);
  consumer.begin(2);
  clock.advance(60_000);
  consumer.begin(3);
  consumer.finish(3);
  consumer.begin(3);
  consumer.die({ reason: 'timeout', blamed: null });
  assert.deepEqual(
    faults.map(({ reason }) => reason),
    ['timeout', 'timeout', 'lost'],
  );
  assert.deepEqual([quick.stats().delivered, quick.stats().killed], [1, 1]);
});

test('B51: with a grace the signal fires first, and a callback that then ends by itself costs nobody their worker', async () => {
  const { open, consumer, clock, faults } = setUp();
  const mailbox = open(1, { killGrace: 500 });
  push(mailbox, 0, 3);
  await turn();
  const first = consumer.begin(1);
  clock.advance(60_000);
  assert.deepEqual([consumer.aborts, consumer.kills], [[first.sequence], []]);
  clock.advance(499);
  consumer.finish(1);
  const second = consumer.begin(1);
  clock.advance(60_000);
  assert.deepEqual([consumer.aborts, consumer.kills], [[first.sequence, second.sequence], []]);
  clock.advance(500);
  assert.deepEqual(consumer.kills, ['timeout']);
  assert.deepEqual(
    faults.map(({ reason }) => reason),
    ['timeout', 'timeout'],
  );
});

test('B51: nothing is late while a debugger is attached', async () => {
  const { open, consumer, clock, halt } = setUp();
  push(open(1), 0, 1);
  await turn();
  consumer.begin(1);
  halt(true);
  clock.advance(600_000);
  assert.deepEqual(consumer.kills, []);
  halt(false);
  clock.advance(60_000);
  assert.deepEqual(consumer.kills, ['timeout']);
});

test('B51: what waits is bounded in memory too, whether it is long texts or many small objects; what runs and the last list_changed are kept', async () => {
  const heavy = [{ text: 'é'.repeat(120_000) }, { objects: Array.from({ length: 9_990 }, () => ({})) }];
  for (const params of heavy) {
    const { open, consumer, drops } = setUp();
    const mailbox = open(1);
    for (let n = 0; n < 200; n++) mailbox.notify('notifications/heavy', params);
    mailbox.notify('notifications/tools/list_changed', undefined);
    await turn();
    const { waiting, dropped } = mailbox.stats();
    assert.ok(waiting > 30 && waiting < 150, `${waiting} wait`);
    assert.equal(waiting + dropped, 201);
    await consumer.drain();
    assert.deepEqual(consumer.begun.at(-1)?.params, { method: 'notifications/tools/list_changed', params: undefined });
    push(mailbox, 0, 1000);
    assert.equal(mailbox.stats().dropped, dropped, 'there is room again');
    mailbox.close();
    assert.equal(
      drops.reduce((sum, { count }) => sum + count, 0),
      dropped,
    );
  }
});
