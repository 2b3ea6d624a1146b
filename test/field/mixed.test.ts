// Requests of mixed kinds over one HTTP and one stdio connection of each era, with random cancels, kills, crashes, aborts and time-outs. Here
// a sample; `npm run soak` plays ten thousand.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Findings } from './mixed/line.js';

const script = fileURLToPath(new URL('./mixed/run.js', import.meta.url));

interface Found {
  readonly busy: number;
  readonly lines: readonly Findings[];
}

test('B19: each id is answered exactly once or cancelled, nothing is left, and the process ends by itself', async () => {
  const requests = Number(process.env.MIXED_REQUESTS ?? 250);
  const seed = Number(process.env.MIXED_SEED ?? 7);
  // A process that does not end by itself is killed here, which rejects.
  const { stdout } = await promisify(execFile)(process.execPath, [script, String(requests), String(seed)], { timeout: 600_000 });
  const { busy, lines } = JSON.parse(stdout) as Found;
  assert.equal(busy, 0);
  for (const { asked, faults, outcomes, calls, running } of lines) {
    assert.deepEqual(faults, []);
    assert.ok(asked >= requests / 4);
    assert.equal(
      Object.values(outcomes).reduce((sum, count) => sum + count, 0),
      asked,
      'every request has one record',
    );
    assert.deepEqual({ calls, running }, { calls: 0, running: 0 });
  }
  for (const outcome of ['answered', 'refused', 'failed', 'killed', 'cancelled'])
    assert.ok(
      lines.some(({ outcomes }) => (outcomes[outcome] ?? 0) > 0),
      `some are ${outcome}`,
    );
});
