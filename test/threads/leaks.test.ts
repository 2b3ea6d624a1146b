import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cycles } from './cycles.js';
import { runScript } from './run.js';

test('case 109: after kills threads, ports and workers are back to the starting number, after close to none', async () => {
  const { stdout, stderr } = await runScript('cycles', ['10']);
  assert.notEqual(stdout, '', stderr);
  const { atFirst, before, after, closed }: Cycles = JSON.parse(stdout);
  assert.deepEqual(after, before);
  assert.deepEqual(closed, atFirst);
  assert.equal(closed.timers, 0);
});

for (const act of ['unasked', 'answer', 'interval', 'lateThrow', 'exit']) {
  test(`a script that forgets to close ends by itself when idle (${act})`, async () => {
    const { code, signal, stderr } = await runScript('forgets', [act]);
    assert.deepEqual([code, signal], [0, null], stderr);
  });
}
