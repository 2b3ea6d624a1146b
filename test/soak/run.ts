/** Runs the soak in a child process, and says what it counted and how it ended. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Counts } from './drive.js';

/** The child is killed, and the test fails, if it does not end by itself. */
export async function soak(requests: number, seed: number, timeout: number): Promise<Counts> {
  const drive = fileURLToPath(new URL('./drive.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', drive, String(requests), String(seed)], {
    timeout,
  });
  const counts = JSON.parse(stdout) as Counts;
  assert.ok(counts.requests >= requests, `only ${counts.requests} requests came`);
  const nothing = { running: 0, calls: 0, wire: 0, own: 0, tokens: 0, waiting: 0, tasks: 0 };
  assert.deepEqual(counts.wrong, []);
  assert.deepEqual(counts.left, [nothing, nothing]);
  assert.equal(counts.listeners, 0);
  assert.deepEqual(counts.warnings, []);
  assert.deepEqual(
    counts.handles.filter((name) => !/^(PipeWrap|TTYWrap|FSReqPromise)$/.test(name)),
    [],
  );
  for (const outcome of ['answered', 'refused', 'failed', 'killed', 'cancelled'])
    assert.ok((counts.outcomes[outcome] ?? 0) > 0, `nothing was ${outcome}`);
  return counts;
}
