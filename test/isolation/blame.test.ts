import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bare, of, openStand } from './fake.js';

test('case 105: a late failure is blamed on its own request, and its cell is retired without failing what it now runs', async () => {
  const { dispatcher, running, stray } = await openStand({ threads: { spares: 0 } });
  const first = dispatcher.run(of('a'));
  const cell = running('a');
  const { run } = cell.call;
  cell.returns(1);
  await first.outcome;
  const second = dispatcher.run(of('b'));
  assert.equal(running('b'), cell);
  const fault = { name: 'Error', message: 'late' };
  cell.events.message({ type: 'stray', run, fault });
  assert.deepEqual(stray, [{ serverId: 'a', requestId: 7, kind: 'elicitation', fault }]);
  cell.returns(2);
  assert.deepEqual(bare(await second.outcome), { type: 'returned', value: 2 });
  assert.ok(cell.killed, 'the cell is not used again');
});

test('a failure of a running callback outside its promise is its own crash', async () => {
  const { dispatcher, running, stray } = await openStand();
  const run = dispatcher.run(of('a'));
  const cell = running('a');
  const fault = { name: 'Error', message: 'in a timer' };
  cell.events.message({ type: 'fell', run: cell.call.run, fault });
  assert.deepEqual(bare(await run.outcome), { type: 'crashed', reason: 'threw', fault });
  assert.ok(cell.killed);
  assert.deepEqual(stray, []);
});

test('a callback that its carrier says has not begun moves to another cell; one that is over does not', async () => {
  const { dispatcher, running, cells } = await openStand();
  const first = dispatcher.run(of('a'));
  const busy = running('a');
  const { run } = busy.call;
  busy.events.stuck?.(run);
  busy.events.stuck?.(run);
  const other = cells.find((cell) => cell !== busy && cell.task?.type === 'run');
  other?.returns(1);
  assert.deepEqual(bare(await first.outcome), { type: 'returned', value: 1 });
  busy.reply({ type: 'skipped' });
  const second = dispatcher.run(of('b'));
  const again = running('b');
  again.events.stuck?.(run);
  again.returns(2);
  assert.deepEqual(bare(await second.outcome), { type: 'returned', value: 2 });
});

test('a failure that nobody can be blamed for is reported as such', async () => {
  const { cells, stray } = await openStand();
  const fault = { name: 'Error', message: 'of the module' };
  cells[0]?.events.message({ type: 'stray', run: null, fault });
  assert.deepEqual(stray, [{ serverId: null, requestId: null, kind: null, fault }]);
});

test('a callback that was not begun behind a leftover moves to another cell; the leftover is blamed on who left it', async () => {
  const { dispatcher, running, stray, clock, cells } = await openStand();
  const first = dispatcher.run(of('a'));
  const spinning = running('a');
  spinning.returns(1);
  await first.outcome;
  spinning.takes = false;
  const second = dispatcher.run(of('b'));
  assert.equal(running('b'), spinning);
  for (let turn = 0; turn < 3; turn++) {
    clock.advance(10);
    spinning.activeTime += 10;
  }
  cells.find((cell) => cell !== spinning && cell.task?.type === 'run')?.returns(2);
  assert.deepEqual(bare(await second.outcome), { type: 'returned', value: 2 });
  assert.ok(!spinning.killed);
  clock.advance(1000);
  assert.ok(spinning.killed);
  assert.equal(stray[0]?.serverId, 'a');
});

test('a thread that skips the task that was taken back was only slow: nobody is blamed, and it is used again', async () => {
  const { dispatcher, running, stray, clock, cells } = await openStand();
  const first = dispatcher.run(of('a'));
  const slow = running('a');
  slow.takes = false;
  for (let turn = 0; turn < 3; turn++) {
    clock.advance(10);
    slow.activeTime += 10;
  }
  slow.reply({ type: 'skipped' });
  cells.find((cell) => cell !== slow && cell.task?.type === 'run')?.returns(1);
  assert.deepEqual(bare(await first.outcome), { type: 'returned', value: 1 });
  clock.advance(2000);
  assert.ok(!slow.killed);
  assert.deepEqual(stray, []);
});

test('a callback that was not begun on a thread that is merely slow to wake stays', async () => {
  const { dispatcher, running, clock, stray } = await openStand();
  dispatcher.run(of('a'));
  const cell = running('a');
  cell.takes = false;
  clock.advance(200);
  assert.ok(!cell.killed);
  assert.deepEqual(stray, []);
});

test('case 114: with a grace the callback is told first, and killed when the grace is over', async () => {
  const { dispatcher, running, clock } = await openStand();
  const run = dispatcher.run(of('a', { killGrace: 500 }));
  const cell = running('a');
  run.kill('call ended');
  assert.deepEqual(bare(await run.outcome), { type: 'killed', reason: 'call ended' });
  assert.deepEqual(cell.sent, [{ type: 'abort', run: cell.call.run, reason: 'call ended' }]);
  clock.advance(499);
  assert.ok(!cell.killed);
  clock.advance(1);
  assert.ok(cell.killed);
});

test('case 114: a callback that ends within its grace leaves its cell free', async () => {
  const { dispatcher, running, clock } = await openStand();
  const run = dispatcher.run(of('a', { killGrace: 500 }));
  const cell = running('a');
  run.kill('timeout');
  cell.returns('tidied up');
  clock.advance(1000);
  assert.ok(!cell.killed);
  assert.deepEqual(bare(await run.outcome), { type: 'killed', reason: 'timeout' });
});

test('what does harm gets no grace', async () => {
  for (const reason of ['busy', 'memory', 'flood', 'closed'] as const) {
    const { dispatcher, running } = await openStand();
    const run = dispatcher.run(of('a', { killGrace: 500 }));
    const cell = running('a');
    run.kill(reason);
    assert.ok(cell.killed, reason);
  }
});
