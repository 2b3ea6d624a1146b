import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bare, of, openStand, stand } from './fake.js';

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

test('a module that stands at a breakpoint while it loads has the time that it wants', async () => {
  let attached = true;
  const { dispatcher, clock, cells } = stand({ debugged: () => attached });
  const loading = dispatcher.load();
  clock.advance(15_000);
  assert.ok(!cells[0]?.killed);
  attached = false;
  clock.advance(10_000);
  await assert.rejects(loading, (fault: { message: string }) => /did not load within 10000 ms/.test(fault.message));
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

test('a reload that is cut off by close rejects, and so does one after it', async () => {
  const { dispatcher } = await openStand();
  const reloading = dispatcher.load();
  void dispatcher.close('kill');
  const closed = (fault: { message: string }): boolean => fault.message === 'the bulkhead was closed';
  await assert.rejects(reloading, closed);
  await assert.rejects(dispatcher.load(), closed);
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
