import assert from 'node:assert/strict';
import { test } from 'node:test';
import { playRows } from './play.js';
import { holds, rows } from './table.js';

const quick = rows.filter(({ alone }) => alone === undefined);
const played = await playRows(quick);

for (const [row, seen] of played) {
  test(`B8, B10, B18: a callback that ${row.does} is contained, and the next one is answered`, () => {
    assert.ok(holds(row, seen), JSON.stringify({ expected: [row.server, String(row.host)], seen }));
  });
}
