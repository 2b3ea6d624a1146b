import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bare, of, openStand, settled } from './fake.js';

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
