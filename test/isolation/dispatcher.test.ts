import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome, Settled } from '../../src/isolation/isolation.js';
import { openStand, settled, stand } from './fake.js';
import { task } from './given.js';

const of = (serverId: string, more = {}) => task({ any: 1 }, { serverId, ...more });

function bare({ times, threadId, ...outcome }: Settled): Outcome {
  return outcome;
}

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
  const order: string[] = [];
  void run.outcome.then(() => order.push('outcome'));
  const cell = running('a');
  Object.defineProperty(cell, 'killed', { set: () => void order.push('kill requested'), get: () => false });
  run.kill('timeout');
  await settled();
  assert.deepEqual(order.toSorted(), ['kill requested', 'outcome']);
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
  const { dispatcher, loadAll, running, clock } = await openStand({ threads: { spares: 0 } });
  dispatcher.run(of('a'));
  const waits = dispatcher.run(of('b'));
  const gives = dispatcher.run(of('c'));
  gives.kill('cancelled');
  assert.deepEqual(bare(await gives.outcome), { type: 'killed', reason: 'cancelled' });
  clock.advance(30);
  await loadAll();
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

test('B18: a cell that dies takes its callback with it and no other', async () => {
  const { dispatcher, running } = await openStand();
  const dies = dispatcher.run(of('a'));
  const lives = dispatcher.run(of('b'));
  const fault = { name: 'ExitError', message: 'code 3' };
  const cell = running('a');
  cell.events.died({ reason: 'exit', fault });
  cell.events.gone();
  assert.deepEqual(bare(await dies.outcome), { type: 'crashed', reason: 'exit', fault });
  running('b').returns(2);
  assert.equal((await lives.outcome).type, 'returned');
});

test('a forged message ends the cell and kills its callback as a flood', async () => {
  for (const forge of ['message', 'violated'] as const) {
    const { dispatcher, running } = await openStand();
    const run = dispatcher.run(of('a'));
    const cell = running('a');
    if (forge === 'message') cell.events.message({ type: 'returned', json: '1' });
    else cell.events.violated();
    assert.deepEqual(bare(await run.outcome), { type: 'killed', reason: 'flood' });
    assert.ok(cell.killed);
  }
});

const forgedReplies = [
  undefined,
  null,
  'yes',
  { type: 'returned', json: '{' },
  { type: 'loaded' },
  { type: 'refused', json: '{"code":"x"}' },
];
test('a reply that is none ends the cell', async () => {
  for (const forged of forgedReplies) {
    const { dispatcher, running } = await openStand();
    const run = dispatcher.run(of('a'));
    const cell = running('a');
    cell.reply(forged);
    assert.equal((await run.outcome).type, 'killed', JSON.stringify(forged));
    assert.ok(cell.killed);
  }
});

test('more lines than the runner lets pass are a flood', async () => {
  const { dispatcher, running, output } = await openStand();
  const run = dispatcher.run(of('a'));
  const cell = running('a');
  for (let line = 0; line < 102; line++) {
    cell.events.message({ type: 'output', run: cell.call.run, stream: 'stdout', line: `${line}` });
  }
  assert.equal(output.length, 101);
  assert.deepEqual(output[0], { serverId: 'a', stream: 'stdout', line: '0' });
  assert.deepEqual(bare(await run.outcome), { type: 'killed', reason: 'flood' });
});

test('more host calls at once than the runner lets pass are a flood, and the signals of all of them fire', async () => {
  const signals: AbortSignal[] = [];
  const services = {
    wait: (_: unknown, { signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      return new Promise(() => {});
    },
  };
  const { dispatcher, running } = await openStand({ services });
  const run = dispatcher.run(of('a'));
  const cell = running('a');
  for (let call = 0; call < 65; call++) {
    cell.events.message({ type: 'call', run: cell.call.run, call, name: 'wait', json: undefined });
  }
  assert.deepEqual(bare(await run.outcome), { type: 'killed', reason: 'flood' });
  assert.equal(signals.length, 64);
  assert.ok(signals.every(({ aborted }) => aborted));
});

test('a host call that nobody registered, of another run, or with broken JSON', async () => {
  const seen: unknown[] = [];
  const { dispatcher, running } = await openStand({ services: { echo: (data) => void seen.push(data) } });
  const first = dispatcher.run(of('a'));
  const cell = running('a');
  cell.events.message({ type: 'call', run: cell.call.run + 5, call: 1, name: 'echo', json: '1' });
  assert.ok(!cell.killed, 'a late call of a callback that has ended is ignored');
  cell.events.message({ type: 'call', run: cell.call.run, call: 1, name: 'toString', json: '1' });
  assert.equal((await first.outcome).type, 'killed');
  assert.deepEqual(seen, []);
});

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

test('a failure that nobody can be blamed for is reported as such', async () => {
  const { cells, stray } = await openStand();
  const fault = { name: 'Error', message: 'of the module' };
  cells[0]?.events.message({ type: 'stray', run: null, fault });
  assert.deepEqual(stray, [{ serverId: null, requestId: null, kind: null, fault }]);
});

test('a callback that was not begun behind a leftover moves to another cell; the leftover is blamed on who left it', async () => {
  const { dispatcher, running, stray, clock } = await openStand();
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
  assert.ok(spinning.killed);
  assert.equal(stray[0]?.serverId, 'a');
  assert.notEqual(running('b'), spinning);
  running('b').returns(2);
  assert.deepEqual(bare(await second.outcome), { type: 'returned', value: 2 });
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

// ---- grace

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

// ---- scope

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

// ---- loading

test('case 104: a module that does not load rejects with the reason, and no cell is left', async () => {
  const { dispatcher, cells } = stand();
  const loading = dispatcher.load();
  cells[0]?.fails('bad module');
  await assert.rejects(loading, (fault: { message: string }) => fault.message === 'bad module');
  assert.ok(cells[0]?.killed);
  assert.equal(cells.length, 1);
});

test('case 104: a module that hangs while loading rejects after the time it has', async () => {
  const { dispatcher, clock, cells } = stand();
  const loading = dispatcher.load();
  clock.advance(10_000);
  await assert.rejects(loading, (fault: { message: string }) => /did not load within 10000 ms/.test(fault.message));
  assert.ok(cells[0]?.killed);
});

test('case 104: a module that exits while loading, or sends messages of its own, is no module', async () => {
  const { dispatcher, cells } = stand();
  const exits = dispatcher.load();
  cells[0]?.events.died({ reason: 'exit', fault: { name: 'ExitError', message: 'the thread exited with code 3' } });
  await assert.rejects(exits, (fault: { message: string }) => fault.message === 'the thread exited with code 3 while loading');
  const forges = dispatcher.load();
  cells[1]?.events.violated();
  await assert.rejects(forges, (fault: { message: string }) => /messages of its own/.test(fault.message));
});

test('a platform that refuses to start a cell is a load failure like any other', async () => {
  const { dispatcher } = stand({ refuses: () => new RangeError('resourceLimits') });
  await assert.rejects(dispatcher.load(), (fault: { message: string }) => fault.message === 'resourceLimits');
});

test('case 104: a module that stops loading later fails those who wait, is tried again ever more slowly, and recovers', async () => {
  const { dispatcher, cells, clock, starting, running, loadAll } = await openStand({ threads: { spares: 0 } });
  dispatcher.run(of('a'));
  const waits = dispatcher.run(of('b'));
  starting()[0]?.fails('gone');
  assert.deepEqual(bare(await waits.outcome), {
    type: 'crashed',
    reason: 'load',
    fault: { name: 'Error', message: 'gone' },
  });
  const before = cells.length;
  const soon = await Promise.all(Array.from({ length: 3 }, () => dispatcher.run(of('c')).outcome));
  assert.ok(
    soon.every(({ type }) => type === 'crashed'),
    'every request is answered',
  );
  assert.equal(cells.length, before, 'and none of them starts a cell: no respawn spin');
  clock.advance(100);
  const later = dispatcher.run(of('c'));
  assert.equal(cells.length, before + 1);
  await loadAll();
  running('c').returns(1);
  assert.equal((await later.outcome).type, 'returned');
});

test('cells that end before anybody asked them anything do not spin', async () => {
  const { cells, clock, loadAll } = await openStand();
  const started = () => cells.length;
  for (let round = 0; round < 8; round++) {
    for (const cell of cells.filter(({ killed }) => !killed)) {
      cell.events.message({ type: 'stray', run: null, fault: { name: 'Error', message: 'module-level timer' } });
      cell.events.gone();
    }
    await loadAll();
  }
  const before = started();
  clock.advance(99);
  assert.equal(started(), before);
  clock.advance(5000);
  assert.ok(started() > before);
});

test('reload: new requests use the new module, what runs ends on the old one', async () => {
  const { dispatcher, running, cells, loadAll } = await openStand();
  const old = dispatcher.run(of('a'));
  const oldCell = running('a');
  const loading = dispatcher.load();
  await loadAll();
  await loading;
  await loadAll();
  dispatcher.run(of('b'));
  const fresh = running('b');
  assert.notEqual(fresh, oldCell);
  assert.ok(cells.indexOf(fresh) > 1);
  oldCell.returns('old');
  assert.deepEqual(bare(await old.outcome), { type: 'returned', value: 'old' });
  assert.ok(oldCell.killed);
});

test('reload of a broken module changes nothing', async () => {
  const { dispatcher, starting, running } = await openStand();
  const loading = dispatcher.load();
  starting()[0]?.fails('broken');
  await assert.rejects(loading);
  const run = dispatcher.run(of('a'));
  running('a').returns(1);
  assert.equal((await run.outcome).type, 'returned');
});

// ---- after a burst, and the end

test('the cells of a burst go after half a minute, all but one and its spare', async () => {
  const { dispatcher, loadAll, cells, clock } = await openStand();
  const runs = ['a', 'b', 'c', 'd', 'e', 'f'].map((serverId) => dispatcher.run(of(serverId)));
  await loadAll();
  for (const cell of cells) if (cell.task?.type === 'run') cell.returns(1);
  await Promise.all(runs.map(({ outcome }) => outcome));
  assert.equal(dispatcher.stats().cells, 7);
  clock.advance(30_000);
  assert.equal(dispatcher.stats().cells, 2);
});

test("close('wait') waits for what runs and refuses what comes; close('kill') kills it", async () => {
  for (const how of ['wait', 'kill'] as const) {
    const { dispatcher, running, cells, clock } = await openStand();
    const run = dispatcher.run(of('a'));
    const cell = running('a');
    const closing = dispatcher.close(how);
    assert.deepEqual(bare(await dispatcher.run(of('b')).outcome), { type: 'closed' });
    if (how === 'wait') cell.returns(1);
    await settled();
    for (const each of cells) if (each.killed) each.events.gone();
    await closing;
    assert.deepEqual(
      bare(await run.outcome),
      how === 'wait' ? { type: 'returned', value: 1 } : { type: 'killed', reason: 'closed' },
    );
    assert.ok(cells.every(({ killed }) => killed));
    assert.equal(clock.pending, 0, 'a timer is left');
  }
});

test('close does not wait for the undead', async () => {
  const { dispatcher, cells, clock } = await openStand();
  const closing = dispatcher.close('kill');
  cells[0]?.events.gone();
  clock.advance(250);
  await closing;
  assert.equal(dispatcher.stats().undead, 1);
});
