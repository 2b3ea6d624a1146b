import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../src/testing/index.js';

test('timers fire in order of due time, then of setting', () => {
  const clock = createManualClock();
  const fired: string[] = [];
  clock.after(20, () => fired.push('late'));
  clock.after(10, () => fired.push('first of two'));
  clock.after(10, () => fired.push('second of two'));
  clock.advance(9);
  assert.deepEqual(fired, []);
  clock.advance(11);
  assert.deepEqual(fired, ['first of two', 'second of two', 'late']);
});

test('a timer set by a timer fires within the same stretch, at its own time', () => {
  const clock = createManualClock(1000);
  const times: number[] = [];
  clock.after(10, () => {
    times.push(clock.now());
    clock.after(5, () => times.push(clock.now()));
    clock.after(50, () => times.push(clock.now()));
  });
  clock.advance(30);
  assert.deepEqual(times, [1010, 1015]);
  assert.equal(clock.now(), 1030);
  assert.equal(clock.pending, 1);
});

test('a timer taken back never fires, and taking it back twice does nothing', () => {
  const clock = createManualClock();
  const takeBack = clock.after(10, () => assert.fail('it was taken back'));
  takeBack();
  takeBack();
  clock.advance(100);
  assert.equal(clock.pending, 0);
});

test('a timer of zero waits for the clock to be turned, even by nothing', () => {
  const clock = createManualClock();
  let fired = false;
  clock.after(0, () => {
    fired = true;
  });
  assert.equal(fired, false);
  clock.advance(0);
  assert.equal(fired, true);
});

test('shift moves the wall clock and leaves durations alone', () => {
  const clock = createManualClock(0);
  let fired = false;
  clock.after(10, () => {
    fired = true;
  });
  clock.shift(3_600_000);
  assert.deepEqual([clock.now(), clock.elapsed(), fired], [3_600_000, 0, false]);
});

test('advanceAsync lets promise callbacks run between timers', async () => {
  const clock = createManualClock();
  const order: string[] = [];
  clock.after(10, () => void Promise.resolve().then(() => clock.after(10, () => order.push('set by a promise'))));
  clock.after(30, () => order.push('set at first'));
  await clock.advanceAsync(30);
  assert.deepEqual(order, ['set by a promise', 'set at first']);
});

test('time does not run backwards', () => {
  const clock = createManualClock();
  for (const ms of [-1, Number.NaN, Number.POSITIVE_INFINITY]) assert.throws(() => clock.advance(ms), RangeError);
});
