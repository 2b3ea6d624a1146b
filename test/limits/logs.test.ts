import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLogLimit, type LogLimit } from '../../src/limits/logs.js';

const rate = { perSecond: 50, burst: 100 };

function byHand(): { elapsed(): number; advance(ms: number): void } {
  let now = 1000;
  return { elapsed: () => now, advance: (ms) => (now += ms) };
}

const admitted = (limit: LogLimit, attempts: number): number =>
  Array.from({ length: attempts }, () => limit.admit()).filter(Boolean).length;

test('B52: a burst of 100 passes, the rest is dropped and counted', () => {
  const limit = createLogLimit(rate, byHand());
  assert.equal(admitted(limit, 250), 100);
  assert.equal(limit.suppressed(), 150);
  assert.equal(limit.suppressed(), 0, 'the count is handed out once');
});

test('B52: fifty a second drip back, never beyond the burst', () => {
  const clock = byHand();
  const limit = createLogLimit(rate, clock);
  admitted(limit, 100);
  for (let step = 0; step < 1000; step++) clock.advance(1);
  assert.equal(admitted(limit, 200), 50, 'a second in steps of a millisecond is a second');
  clock.advance(3_600_000);
  assert.equal(admitted(limit, 1000), 100);
});

test('B52: many small refills add up to a whole token, whatever a tenth is in binary', () => {
  const clock = byHand();
  const limit = createLogLimit({ perSecond: 100, burst: 1 }, clock);
  assert.equal(admitted(limit, 2), 1);
  for (let step = 0; step < 10; step++) {
    assert.equal(limit.admit(), false);
    clock.advance(1);
  }
  assert.equal(limit.admit(), true);
});

test('B52: a clock that goes backwards gives nothing and takes nothing', () => {
  const clock = byHand();
  const limit = createLogLimit(rate, clock);
  admitted(limit, 90);
  clock.advance(-100_000);
  assert.equal(admitted(limit, 100), 10);
  clock.advance(20);
  assert.equal(admitted(limit, 100), 1);
});

test('case 98: of 300 lines in a second 100 pass at once and 50 over the rest of it, and the count cannot be missed', () => {
  const clock = byHand();
  const limit = createLogLimit(rate, clock);
  let passed = 0;
  for (let line = 0; line < 300; line++) {
    if (limit.admit()) passed += 1;
    clock.advance(1000 / 300);
  }
  assert.ok(passed >= 149 && passed <= 150, `${passed}`);
  assert.equal(limit.suppressed(), 300 - passed);
});

test('B52: property: no run of attempts gets more than burst and drip allow', () => {
  const waits = fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 300 });
  fc.assert(
    fc.property(waits, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 100 }), (steps, burst, perSecond) => {
      const clock = byHand();
      const limit = createLogLimit({ perSecond, burst }, clock);
      let passed = 0;
      for (const ms of steps) {
        clock.advance(ms);
        if (limit.admit()) passed += 1;
      }
      const total = steps.reduce((sum, ms) => sum + ms, 0);
      assert.ok(passed <= burst + (total * perSecond) / 1000 + 1e-6);
    }),
  );
});
