import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { afterSilence, systemClock } from '../../src/clock.js';

function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('what came while the main thread was blocked is heard before a silence is judged', async () => {
  const { port1, port2 } = new MessageChannel();
  const ended = new Promise<string>((resolve) => {
    const takeBack = afterSilence(systemClock, 20, () => resolve('judged'));
    port1.once('message', () => {
      takeBack();
      resolve('heard');
    });
  });
  // Only once the loop turns is the timer older than the message.
  await new Promise((resolve) => setImmediate(resolve));
  port2.postMessage('alive');
  block(60);
  assert.equal(await ended, 'heard');
  port1.close();
});

test('a silence ends a wait, and what is heard takes it back', async () => {
  const judged: string[] = [];
  const takeBack = afterSilence(systemClock, 2, () => judged.push('taken back'));
  await new Promise<void>((resolve) => {
    const hold = setInterval(() => {}, 1000);
    afterSilence(systemClock, 6, () => {
      clearInterval(hold);
      resolve();
    });
    takeBack();
  });
  assert.deepEqual(judged, []);
});
