import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cycles } from './cycles.js';
import { runScript } from './run.js';

test('case 109: 200 kills leave no thread, no port, no worker, and no slope in memory', async (t) => {
  const { stdout, stderr } = await runScript('cycles', ['200'], 300_000);
  assert.notEqual(stdout, '', stderr);
  const { atFirst, before, after, closed, heapSlope }: Cycles = JSON.parse(stdout);
  assert.deepEqual(after, before);
  assert.deepEqual(closed, atFirst);
  t.diagnostic(`heap over the last 100 cycles: ${Math.round(heapSlope)} bytes a cycle`);
  // One leaked worker is more than 10 000 bytes of the host's own heap.
  assert.ok(heapSlope < 2000, `${heapSlope} bytes a cycle`);
});
