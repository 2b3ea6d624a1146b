import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createJob } from '../../src/isolation/job.js';
import { createWaiting } from '../../src/isolation/waiting.js';

const job = (run: number) =>
  createJob(run, { kind: 'roots', serverId: 's', context: { requestId: run } } as Parameters<typeof createJob>[1], 0);

/** Timers that hold the process open. */
const held = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

test('callbacks that wait go in order, and one that had its turn comes first', () => {
  const [a, b, c] = [job(1), job(2), job(3)];
  const waiting = createWaiting();
  waiting.add(a);
  waiting.add(b);
  waiting.putFirst(c);
  assert.deepEqual(waiting.jobs, [c, a, b]);
  waiting.remove(a);
  assert.deepEqual(waiting.clear(), [c, b]);
  assert.equal(waiting.size, 0);
});

test('the process is held open while a callback waits, and no longer', () => {
  const before = held();
  const waiting = createWaiting();
  const [a, b] = [job(1), job(2)];
  waiting.add(a);
  waiting.add(b);
  assert.equal(held(), before + 1);
  waiting.remove(a);
  assert.equal(held(), before + 1);
  waiting.remove(b);
  assert.equal(held(), before);
  waiting.add(a);
  waiting.clear();
  assert.equal(held(), before);
});
