/** The life of the consumer's cells, without threads: when they start, how they are heard out, what is told and when. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endedWell, type ToRunner } from '../../src/contract/messages.js';
import type { Cell } from '../../src/isolation/cell.js';
import { type ConsumerCell, openConsumer } from '../../src/isolation/consumer.js';
import type { ConsumerItem } from '../../src/isolation/isolation.js';
import type { Opening, SeatEvents } from '../../src/isolation/opening.js';
import { createSeat, type Seat } from '../../src/isolation/seat.js';
import { createManualClock } from '../../src/testing/index.js';

interface Fake {
  readonly seat: Seat;
  readonly sent: ToRunner[];
  /** What the runner says. */
  say(data: unknown): void;
  /** Says it after the kill, as a message that was under way. */
  last(data: unknown): void;
  load(): void;
  fail(): void;
  die(): void;
  gone(): void;
  readonly killed: boolean;
}

function setUp() {
  const clock = createManualClock();
  const cells: Fake[] = [];
  const told: unknown[] = [];
  const watching = new Set<unknown>();
  let full = false;

  function open(events: SeatEvents, opening: Opening): void {
    let killed = false;
    let hear: ((data: unknown) => void) | undefined;
    const sent: ToRunner[] = [];
    const cell: Cell = {
      threadId: cells.length,
      run: () => {},
      send: (message) => void sent.push(message),
      active: () => 0,
      kill(last) {
        if (!killed) hear = last;
        killed = true;
      },
      disown: () => {},
    };
    const seat = createSeat(cell, 0);
    cells.push({
      seat,
      sent,
      say: (data) => events.hear(seat, data),
      last: (data) => hear?.(data),
      load: () => opening.loaded(seat, { callbacks: [], elicitationModes: ['form'] }),
      fail: () => opening.failed(seat, { name: 'LoadError', message: 'no' }),
      die: () => events.died(seat, { reason: 'exit', fault: { name: 'ExitError', message: '' } }),
      gone: () => events.gone(seat),
      get killed() {
        return killed;
      },
    });
  }

  const opened = openConsumer({
    clock,
    open,
    end: ({ cell }) => cell.kill(),
    gone: () => {},
    quiet: async () => {},
    full: () => full,
    converse: () => false,
    watch: { add: (job) => void watching.add(job), remove: (job) => void watching.delete(job) },
  });
  const ready = async (): Promise<ConsumerCell> => {
    cells[0]?.load();
    const consumer = await opened;
    consumer.listen({
      started: (sequence) => told.push(['started', sequence]),
      done: (sequence, fault) => told.push(['done', sequence, ...(fault === null ? [] : [fault.message])]),
      died: ({ reason, blamed }) => told.push(['died', reason, blamed]),
      resumed: () => told.push('resumed'),
    });
    return consumer;
  };
  const setFull = (now: boolean): void => {
    full = now;
  };
  return { clock, cells, told, watching, opened, ready, setFull };
}

const item = (sequence: number, connectionId = 1): ConsumerItem => ({
  sequence,
  connectionId,
  kind: 'notification',
  params: { method: 'notifications/x' },
  context: { client: 'host', serverId: `s${connectionId}`, era: 'legacy' },
  busyTimeout: 10,
});
const itemsIn = ({ sent }: Fake): number[][] =>
  sent.flatMap((message) => (message.type === 'items' ? [message.items.map(({ sequence }) => sequence)] : []));

test('a module that does not load rejects the first opening with its fault', async () => {
  const { cells, opened } = setUp();
  cells[0]?.fail();
  await assert.rejects(opened, { name: 'LoadError' });
  assert.equal(cells[0]?.killed, true);
});

test('items go out with the context of each connection once, and the worker is watched while they are out', async () => {
  const { cells, told, watching, ready } = setUp();
  const consumer = await ready();
  const [cell] = cells as [Fake];
  consumer.deliver([item(0), item(1), item(2, 2)]);
  consumer.deliver([item(3)]);
  assert.deepEqual(itemsIn(cell), [[0, 1, 2], [3]]);
  assert.deepEqual(
    cell.sent.map((message) => message.type === 'items' && message.contexts.map(([id]) => id)),
    [[1, 2], []],
  );
  assert.equal(watching.size, 1);
  for (const word of [0, 2, 1, 3, endedWell(3), { type: 'fault', run: 2, fault: { name: 'E', message: 'no' } }]) cell.say(word);
  assert.deepEqual(told, [
    ...[
      ['started', 0],
      ['started', 2],
      ['done', 0],
      ['started', 1],
      ['done', 1],
    ],
    ...[
      ['started', 3],
      ['done', 3],
      ['done', 2, 'no'],
    ],
  ]);
  assert.equal(watching.size, 0);
});

for (const [lie, words] of [
  ['a number it was not given', [7]],
  ['a beginning out of turn', [1]],
  ['an end before the beginning', [endedWell(0)]],
  ['a fraction', [0.5]],
  ['a word of no protocol', [{ type: 'hello' }]],
  ['nothing', [undefined]],
  ['that it has stopped, unasked', [{ type: 'stopped' }]],
  ['a fault that is none', [0, { type: 'fault', run: 0, fault: 'x' }]],
] as const) {
  test(`a worker that says ${lie} is killed at once and not listened to any more`, async () => {
    const { cells, told, ready } = setUp();
    const consumer = await ready();
    consumer.deliver([item(0), item(1)]);
    for (const word of words) cells[0]?.say(word);
    assert.equal(cells[0]?.killed, true);
    assert.deepEqual((told.at(-1) as unknown[]).slice(0, 2), ['died', 'flood']);
    const before = told.length;
    cells[0]?.say(0);
    cells[0]?.last(1);
    assert.equal(told.length, before);
    assert.equal(cells.length, 2);
  });
}

test('B51: what a killed worker had announced before its end is heard before its death is told', async () => {
  const { cells, told, ready } = setUp();
  const consumer = await ready();
  const [cell] = cells as [Fake];
  consumer.deliver([item(0), item(1), item(2)]);
  cell.say(0);
  consumer.kill('timeout');
  assert.equal(cell.killed, true);
  cells[1]?.load();
  cell.last(1);
  cell.gone();
  assert.deepEqual(told, [['started', 0], ['done', 0], ['started', 1], ['died', 'timeout', null], 'resumed']);
  consumer.deliver([item(3)]);
  assert.deepEqual(itemsIn(cells[1] as Fake), [[3]]);
});

test('a worker that does not end is heard out for a quarter of a second, and its death is told all the same', async () => {
  const { clock, cells, told, ready } = setUp();
  const consumer = await ready();
  consumer.deliver([item(0)]);
  cells[0]?.say(0);
  consumer.kill('timeout');
  cells[1]?.load();
  clock.advance(249);
  assert.deepEqual(told, [['started', 0]]);
  clock.advance(1);
  assert.deepEqual(told, [['started', 0], ['died', 'timeout', null], 'resumed']);
  cells[0]?.gone();
  assert.equal(told.length, 3);
});

test('what is handed over while a worker ends is not, and its death says so', async () => {
  const { cells, told, ready } = setUp();
  const consumer = await ready();
  consumer.kill('timeout');
  consumer.deliver([item(0)]);
  consumer.kill('timeout');
  cells[0]?.gone();
  cells[1]?.load();
  assert.deepEqual([itemsIn(cells[0] as Fake), told], [[], [['died', 'timeout', null], 'resumed']]);
});

test('B16: a busy worker is blamed on the last that began, else on whoever runs alone, else on nobody', async () => {
  const { cells, told, ready } = setUp();
  const consumer = await ready();
  consumer.deliver([item(0, 1), item(1, 2), item(2, 3)]);
  assert.equal(consumer.watched.task.busyTimeout, 10, 'what should have begun counts');
  for (const word of [0, 1, 2]) cells[0]?.say(word);
  cells[0]?.say(endedWell(2));
  consumer.overdone('busy');
  cells[0]?.gone();
  cells[1]?.load();
  consumer.deliver([item(3, 1), item(4, 2)]);
  for (const word of [3, 4]) cells[1]?.say(word);
  consumer.overdone('busy');
  cells[1]?.gone();
  assert.deepEqual(
    told.filter((each) => (each as string[])[0] === 'died'),
    [
      ['died', 'busy', null],
      ['died', 'busy', 4],
    ],
  );
});

test('workers that die before anything ended are started at intervals that grow to 5 s; one that works starts them at once again', async () => {
  const { clock, cells, ready } = setUp();
  const consumer = await ready();
  const pauses: number[] = [];
  for (let death = 0; death < 9; death++) {
    const before = clock.elapsed();
    const count = cells.length;
    cells.at(-1)?.die();
    while (cells.length === count) clock.advance(50);
    pauses.push(clock.elapsed() - before);
    cells.at(-1)?.load();
  }
  assert.deepEqual(pauses, [0, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  consumer.deliver([item(0)]);
  cells.at(-1)?.say(0);
  cells.at(-1)?.say(endedWell(0));
  const count = cells.length;
  cells.at(-1)?.die();
  assert.equal(cells.length, count + 1);
});

test('a successor that dies before its turn is replaced, and one that cannot load is tried again', async () => {
  const { clock, cells, told, ready } = setUp();
  const consumer = await ready();
  consumer.kill('timeout');
  cells[1]?.load();
  cells[1]?.die();
  cells[0]?.gone();
  clock.advance(100);
  cells[2]?.fail();
  clock.advance(200);
  cells[3]?.load();
  assert.deepEqual(told, [['died', 'timeout', null], 'resumed']);
});

test('while too many cells are undead none is started', async () => {
  const { clock, cells, ready, setFull } = setUp();
  const consumer = await ready();
  setFull(true);
  consumer.kill('timeout');
  clock.advance(1000);
  assert.equal(cells.length, 1);
  setFull(false);
  clock.advance(100);
  assert.equal(cells.length, 2);
});

test('a worker that is retired ends what runs and is replaced; what waited was not lost', async () => {
  const { cells, told, ready } = setUp();
  const consumer = await ready();
  const [cell] = cells as [Fake];
  consumer.deliver([item(0), item(1)]);
  cell.say(0);
  consumer.retire();
  consumer.retire();
  consumer.deliver([item(2)]);
  assert.deepEqual(itemsIn(cell), [[0, 1]]);
  assert.equal(cell.sent.filter(({ type }) => type === 'stop').length, 1);
  cell.say(endedWell(0));
  cell.say({ type: 'stopped' });
  cells[1]?.load();
  assert.deepEqual(told, [['started', 0], ['done', 0], ['died', 'retired', null], 'resumed']);
});

test('a worker that is retired and does not stop is killed after 10 s', async () => {
  const { clock, cells, told, ready } = setUp();
  const consumer = await ready();
  consumer.deliver([item(0)]);
  cells[0]?.say(0);
  consumer.retire();
  clock.advance(9_999);
  assert.equal(cells[0]?.killed, false);
  clock.advance(1);
  assert.equal(cells[0]?.killed, true);
  cells[0]?.gone();
  assert.deepEqual(told.at(-1), ['died', 'retired', null]);
});

test('a worker killed for one late item lets what runs beside it end first, and begins nothing meanwhile', async () => {
  const { cells, told, ready } = setUp();
  const consumer = await ready();
  const [cell] = cells as [Fake];
  consumer.deliver([item(0, 1), item(1, 2), item(2, 3), item(3, 3)]);
  for (const word of [0, 1, 2]) cell.say(word);
  consumer.kill('timeout', 0);
  assert.deepEqual([cell.killed, cell.sent.at(-1)], [false, { type: 'stop' }]);
  cell.say(endedWell(1));
  consumer.kill('timeout', 0);
  assert.equal(cell.killed, false);
  cell.say(endedWell(2));
  assert.equal(cell.killed, true);
  cell.gone();
  assert.deepEqual(told.slice(3), [
    ['done', 1],
    ['done', 2],
    ['died', 'timeout', null],
  ]);
});

test('that courtesy lasts a second, and is not needed where nothing runs beside the late one', async () => {
  const { clock, cells, ready } = setUp();
  const consumer = await ready();
  consumer.deliver([item(0, 1), item(1, 2)]);
  for (const word of [0, 1]) cells[0]?.say(word);
  consumer.kill('timeout', 0);
  clock.advance(999);
  assert.equal(cells[0]?.killed, false);
  clock.advance(1);
  assert.equal(cells[0]?.killed, true);
  cells[0]?.gone();
  cells[1]?.load();
  consumer.deliver([item(2, 1)]);
  cells[1]?.say(2);
  consumer.kill('timeout', 2);
  assert.equal(cells[1]?.killed, true);
});

test('two late ones do not wait for each other, and for a late one that ends after all the worker is merely replaced', async () => {
  const { clock, cells, told, ready } = setUp();
  const consumer = await ready();
  consumer.deliver([item(0, 1), item(1, 2)]);
  for (const word of [0, 1]) cells[0]?.say(word);
  consumer.kill('timeout', 0);
  consumer.kill('timeout', 1);
  assert.equal(cells[0]?.killed, true);
  cells[0]?.gone();
  cells[1]?.load();
  consumer.deliver([item(2, 1), item(3, 2)]);
  for (const word of [2, 3]) cells[1]?.say(word);
  consumer.kill('timeout', 2);
  cells[1]?.say(endedWell(2));
  clock.advance(9999);
  assert.equal(cells[1]?.killed, false);
  cells[1]?.say(endedWell(3));
  cells[1]?.say({ type: 'stopped' });
  cells[1]?.gone();
  assert.deepEqual(
    told.filter((each) => (each as string[])[0] === 'died'),
    [
      ['died', 'timeout', null],
      ['died', 'retired', null],
    ],
  );
});

test('a cell that was opening when the module was loaded anew never takes an item', async () => {
  const { cells, told, ready } = setUp();
  const consumer = await ready();
  consumer.kill('timeout');
  cells[0]?.gone();
  consumer.retire();
  cells[1]?.load();
  assert.deepEqual([cells[1]?.killed, cells.length, told], [true, 3, [['died', 'timeout', null]]]);
  cells[2]?.load();
  consumer.deliver([item(0)]);
  assert.deepEqual(itemsIn(cells[2] as Fake), [[0]]);
});

test('a closed consumer starts nothing, tells nothing, and turns a late cell away', async () => {
  const { clock, cells, told, watching, ready } = setUp();
  const consumer = await ready();
  consumer.deliver([item(0)]);
  consumer.kill('timeout');
  await consumer.close();
  cells[0]?.gone();
  cells[1]?.load();
  cells[1]?.die();
  clock.advance(60_000);
  assert.deepEqual([cells[1]?.killed, cells.length, told, watching.size], [true, 2, [], 0]);
});
