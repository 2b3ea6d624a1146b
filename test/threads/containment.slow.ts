import assert from 'node:assert/strict';
import { test } from 'node:test';
import { playRows } from './play.js';
import { holds, rows } from './table.js';

// One at a time: a memory bomb takes what it gets, and the rows beside it must not pay for it.
const played = await playRows(
  rows.filter(({ alone }) => alone === true),
  1,
);

for (const [row, seen] of played.filter(([{ notPromised }]) => notPromised === undefined)) {
  test(`case 103, case 111: a callback that ${row.does} is contained, and the next one is answered`, () => {
    assert.ok(holds(row, seen), JSON.stringify({ expected: [row.server, String(row.host)], seen }));
  });
}

test('the containment table has at least 40 rows', () => {
  assert.ok(rows.length >= 40);
});
