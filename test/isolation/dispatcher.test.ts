import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bare, of, openStand, settled } from './fake.js';

test('a callback goes to a free cell at once, and its outcome carries value, thread and times', async () => {
  const { dispatcher, running, clock } = await openStand();
  const run = dispatcher.run(of('a'));
  clock.advance(7);
  running('a').returns({ action: 'accept' });
  assert.deepEqual(await run.outcome, {
    type: 'returned',
    value: { action: 'accept' },
    times: { queued: 0, run: 7 },
    threadId: running('a').threadId,
  });
});

test('one cell and one spare are loaded before anybody asks; while one runs, another stands ready', async () => {
  const { dispatcher, loadAll } = await openStand();
  assert.deepEqual([dispatcher.stats().cells, dispatcher.stats().spares], [2, 2]);
  dispatcher.run(of('a'));
  dispatcher.run(of('b'));
  await loadAll();
  assert.deepEqual([dispatcher.stats().busy, dispatcher.stats().spares], [2, 1]);
});

test('B10: after any number of kills in a row the next callback finds a loaded cell', async () => {
  const { dispatcher, loadAll, cells } = await openStand();
  for (let kill = 0; kill < 10; kill++) {
    const run = dispatcher.run(of('a'));
    run.kill('timeout');
    assert.deepEqual(bare(await run.outcome), { type: 'killed', reason: 'timeout' });
    const next = dispatcher.run(of('a'));
    const runs = cells.filter((cell) => cell.task?.type === 'run' && !cell.killed);
    assert.equal(runs.length, 1, 'the next callback waits for a cell');
    runs[0]?.returns(1);
    assert.equal((await next.outcome).type, 'returned');
    for (const cell of cells.filter(({ killed }) => killed)) cell.events.gone();
    await loadAll();
  }
  assert.equal(dispatcher.stats().kills, 10);
});

test('B10: the outcome is settled before the cell is touched', async () => {
  const { dispatcher, running } = await openStand();
  const run = dispatcher.run(of('a'));
  const cell = running('a');
  const settledBefore: number[] = [];
  Object.defineProperty(cell, 'killed', { set: () => void settledBefore.push(dispatcher.stats().kills), get: () => false });
  run.kill('timeout');
  assert.deepEqual(settledBefore, [1]);
  assert.deepEqual(bare(await run.outcome), { type: 'killed', reason: 'timeout' });
});

test('fairness: one server holds at most half of the pool, rounded up, and others still run', async () => {
  const { dispatcher } = await openStand({ threads: { max: 5 } });
  const mine = Array.from({ length: 4 }, () => dispatcher.run(of('a')));
  assert.deepEqual(bare(await (mine[3] as (typeof mine)[0]).outcome), { type: 'busy', reason: 'share' });
  dispatcher.run(of('b'));
  dispatcher.run(of('b'));
  assert.deepEqual(bare(await dispatcher.run(of('c')).outcome), { type: 'busy', reason: 'pool' });
});

test('B21: the place is free as soon as the kill is asked for', async () => {
  const { dispatcher } = await openStand({ threads: { max: 2 } });
  const first = dispatcher.run(of('a'));
  assert.equal((await dispatcher.run(of('a')).outcome).type, 'busy');
  first.kill('cancelled');
  const second = dispatcher.run(of('a'));
  let settledEarly = false;
  void second.outcome.then(() => {
    settledEarly = true;
  });
  await settled();
  assert.ok(!settledEarly);
});

test('those who wait for a cell get it in order, and can be killed while they wait', async () => {
  const { dispatcher, loadAll, running, cells, clock } = await openStand({ threads: { spares: 0 } });
  dispatcher.run(of('a'));
  const waits = dispatcher.run(of('b'));
  const gives = dispatcher.run(of('c'));
  dispatcher.run(of('d'));
  gives.kill('cancelled');
  assert.deepEqual(bare(await gives.outcome), { type: 'killed', reason: 'cancelled' });
  clock.advance(30);
  await loadAll();
  assert.ok(cells.indexOf(running('b')) < cells.indexOf(running('d')), 'cells become free in the order of their start');
  running('b').returns(1);
  assert.deepEqual((await waits.outcome).times, { queued: 30, run: 0 });
  assert.throws(() => running('c'));
});

test('case 108: aborting who waits and who runs leaves nobody stuck', async () => {
  const { dispatcher, loadAll, running, cells } = await openStand({ threads: { max: 3, spares: 0 } });
  const runs = ['a', 'b', 'c'].map((serverId) => dispatcher.run(of(serverId)));
  runs[1]?.kill('cancelled');
  runs[0]?.kill('cancelled');
  cells[0]?.events.gone();
  await loadAll();
  running('c').returns(3);
  assert.equal((await runs[2]?.outcome)?.type, 'returned');
});

test('case 111: a cell that is not gone 250 ms after its end is undead: reported, disowned, counted, and forgotten when it goes', async () => {
  const { dispatcher, running, clock, undead } = await openStand();
  const run = dispatcher.run(of('a'));
  const cell = running('a');
  run.kill('timeout');
  assert.equal((await run.outcome).type, 'killed');
  clock.advance(249);
  assert.equal(dispatcher.stats().undead, 0);
  clock.advance(1);
  assert.deepEqual(undead, [{ threadId: cell.threadId, count: 1 }]);
  assert.ok(cell.disowned);
  assert.equal(dispatcher.stats().undead, 1);
  cell.events.gone();
  assert.deepEqual(undead[1], { threadId: cell.threadId, count: 0 });
});

test('undead cells beyond the cap refuse new requests with their own reason, until one goes', async () => {
  const { dispatcher, running, clock, loadAll } = await openStand({ threads: { maxUndead: 1 } });
  const cells = [];
  for (let kill = 0; kill < 2; kill++) {
    const run = dispatcher.run(of('a'));
    cells.push(running('a'));
    run.kill('timeout');
    await loadAll();
    clock.advance(250);
  }
  assert.deepEqual(bare(await dispatcher.run(of('a')).outcome), { type: 'busy', reason: 'undead' });
  cells[0]?.events.gone();
  dispatcher.run(of('a'));
  running('a').returns(1);
});

test("case 106: scope 'server' gives each server cells of its own", async () => {
  const { dispatcher, running, loadAll } = await openStand({ threads: { scope: 'server' } });
  dispatcher.run(of('a'));
  const mine = running('a');
  mine.returns(1);
  dispatcher.run(of('b'));
  assert.notEqual(running('b'), mine);
  await loadAll();
  dispatcher.run(of('a'));
  assert.equal(running('a'), mine);
});

test("B10: with scope 'server' the next callback after a kill, and the first of a new server, find a loaded cell", async () => {
  const { dispatcher, running, loadAll, cells } = await openStand({ threads: { scope: 'server' } });
  for (const server of ['a', 'b']) {
    const run = dispatcher.run(of(server));
    running(server).returns(1);
    await run.outcome;
    await loadAll();
  }
  for (let kill = 0; kill < 3; kill++) {
    dispatcher.run(of('a')).kill('timeout');
    const next = dispatcher.run(of('a'));
    running('a').returns(kill);
    assert.equal((await next.outcome).type, 'returned');
    for (const cell of cells.filter(({ killed }) => killed)) cell.events.gone();
    await loadAll();
  }
  dispatcher.run(of('c'));
  assert.ok(running('c'));
});

test("case 106: scope 'server' takes an idle cell of another server where the pool is full of them", async () => {
  const { dispatcher, running, loadAll, cells } = await openStand({ threads: { scope: 'server', max: 2, spares: 0 } });
  for (const serverId of ['a', 'b']) {
    const run = dispatcher.run(of(serverId));
    await loadAll();
    running(serverId).returns(1);
    await run.outcome;
  }
  const third = dispatcher.run(of('c'));
  assert.equal(cells.filter(({ killed }) => killed).length, 1);
  cells.find(({ killed }) => killed)?.events.gone();
  await loadAll();
  running('c').returns(3);
  assert.equal((await third.outcome).type, 'returned');
});

test("case 106: scope 'call' never uses a cell twice, and has the next one ready", async () => {
  const { dispatcher, running, loadAll, cells } = await openStand({ threads: { scope: 'call' } });
  const used = new Set();
  for (let call = 0; call < 5; call++) {
    const run = dispatcher.run(of('a'));
    const cell = running('a');
    assert.ok(!used.has(cell));
    used.add(cell);
    cell.returns(call);
    assert.equal((await run.outcome).times.queued, 0);
    assert.ok(cell.killed);
    for (const gone of cells.filter(({ killed }) => killed)) gone.events.gone();
    await loadAll();
  }
});
