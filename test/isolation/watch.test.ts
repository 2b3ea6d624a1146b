import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Memory } from '../../src/isolation/watch.js';
import { openStand, settled } from './fake.js';
import { task } from './given.js';

const mebibyte = 2 ** 20;
const of = (serverId: string, busyTimeout = 0) => task({}, { serverId, busyTimeout });

test('B16: so much busy thread time kills a callback, whatever its deadline', async () => {
  const { dispatcher, running, clock } = await openStand();
  const run = dispatcher.run(of('a', 100));
  const cell = running('a');
  clock.advance(10);
  for (let turn = 0; turn < 9; turn++) {
    cell.activeTime += 10;
    clock.advance(10);
  }
  assert.ok(!cell.killed);
  cell.activeTime += 10;
  clock.advance(10);
  assert.ok(cell.killed);
  assert.equal((await run.outcome).type, 'killed');
});

test('B16: a callback that waits for a person is not busy, however long it takes', async () => {
  const { dispatcher, running, clock } = await openStand();
  const run = dispatcher.run(of('a', 100));
  const cell = running('a');
  clock.advance(600_000);
  cell.activeTime += 90;
  clock.advance(10);
  assert.ok(!cell.killed);
  cell.returns(1);
  assert.equal((await run.outcome).type, 'returned');
});

test('B16: 0 is off', async () => {
  const { dispatcher, running, clock } = await openStand();
  dispatcher.run(of('a', 0));
  const cell = running('a');
  clock.advance(10);
  cell.activeTime += 1e9;
  clock.advance(100);
  assert.ok(!cell.killed);
});

test('the busy time of a thread before the callback is not its own', async () => {
  const { dispatcher, running, clock, cells } = await openStand();
  for (const cell of cells) cell.activeTime = 5000;
  dispatcher.run(of('a', 100));
  clock.advance(50);
  assert.ok(!running('a').killed);
});

test('while a debugger is attached nobody is too busy', async () => {
  let attached = true;
  const { dispatcher, running, clock } = await openStand({ debugged: () => attached });
  dispatcher.run(of('a', 100));
  const cell = running('a');
  clock.advance(10);
  cell.activeTime += 1000;
  clock.advance(50);
  assert.ok(!cell.killed);
  attached = false;
  clock.advance(10);
  assert.ok(cell.killed);
});

function memoryOf(): Memory & { grown: number; hostGrown: number } {
  const memory = {
    grown: 0,
    hostGrown: 0,
    resident: () => 100 * mebibyte + memory.grown,
    own: () => 50 * mebibyte + memory.hostGrown,
  };
  return memory;
}

test('two turns over the memory budget kill what is most active, and no more than that', async () => {
  const memory = memoryOf();
  const { dispatcher, running, clock, cells } = await openStand({ memory, threads: { memoryBudget: 10 * mebibyte } });
  const bomb = dispatcher.run(of('bomb'));
  dispatcher.run(of('person'));
  const cell = running('bomb');
  clock.advance(10);
  memory.grown = 11 * mebibyte;
  cell.activeTime += 9;
  clock.advance(10);
  assert.ok(!cell.killed, 'one sample may be a collection about to happen');
  cell.activeTime += 9;
  clock.advance(10);
  assert.deepEqual(
    cells.filter(({ killed }) => killed),
    [cell],
  );
  const outcome = await bomb.outcome;
  assert.deepEqual([outcome.type, outcome.type === 'killed' && outcome.reason], ['killed', 'memory']);
});

test('what a kill did not free costs the next most active one two turns later', async () => {
  const memory = memoryOf();
  const { dispatcher, running, clock } = await openStand({ memory, threads: { memoryBudget: 10 * mebibyte } });
  dispatcher.run(of('a'));
  dispatcher.run(of('b'));
  const [first, second] = [running('a'), running('b')];
  clock.advance(10);
  memory.grown = 20 * mebibyte;
  first.activeTime += 20;
  second.activeTime += 10;
  clock.advance(10);
  first.activeTime += 20;
  clock.advance(10);
  assert.deepEqual([first.killed, second.killed], [true, false]);
  clock.advance(20);
  assert.ok(second.killed);
});

test("the host's own allocations kill nobody", async () => {
  const memory = memoryOf();
  const { dispatcher, running, clock } = await openStand({ memory, threads: { memoryBudget: 10 * mebibyte } });
  dispatcher.run(of('a'));
  clock.advance(10);
  memory.grown = 500 * mebibyte;
  memory.hostGrown = 495 * mebibyte;
  clock.advance(100);
  assert.ok(!running('a').killed);
});

test('the watch stands still while nothing runs', async () => {
  const { dispatcher, running, clock } = await openStand();
  const before = clock.pending;
  const run = dispatcher.run(of('a', 100));
  clock.advance(30);
  running('a').returns(1);
  await run.outcome;
  clock.advance(30);
  await settled();
  // What is left is the timer that trims cells after a burst.
  assert.ok(clock.pending <= before + 1);
  clock.advance(30_000);
  assert.equal(clock.pending, 0);
});

test('the watch rests while everybody waits, and is awake again when one is active', async () => {
  let looks = 0;
  const memory: Memory = {
    resident: () => {
      looks++;
      return 0;
    },
    own: () => 0,
  };
  const { dispatcher, running, clock } = await openStand({ memory });
  dispatcher.run(of('a', 100));
  clock.advance(600);
  looks = 0;
  clock.advance(1000);
  assert.equal(looks, 20);
  running('a').activeTime += 5;
  clock.advance(60);
  looks = 0;
  clock.advance(100);
  assert.equal(looks, 10);
});

test('nobody is killed for the memory of one who was killed already and goes on taking it', async () => {
  const memory = memoryOf();
  const { dispatcher, running, clock, loadAll } = await openStand({ memory, threads: { memoryBudget: 10 * mebibyte } });
  dispatcher.run(of('bomb'));
  const bomb = running('bomb');
  dispatcher.run(of('person'));
  const innocent = running('person');
  clock.advance(10);
  const grow = () => {
    memory.grown += 20 * mebibyte;
    bomb.activeTime += 10;
    innocent.activeTime += 1;
    clock.advance(10);
  };
  grow();
  grow();
  assert.ok(bomb.killed);
  for (let turn = 0; turn < 10; turn++) grow();
  assert.ok(!innocent.killed);
  bomb.events.gone();
  await loadAll();
  grow();
  grow();
  assert.ok(innocent.killed, 'once it is gone, what grows is somebody else');
});
