import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeGrowth, growth } from '../../src/cli/measure/growth.js';

const sizes = [1, 4, 16, 64, 256, 1024, 4096];
const of = (cost: (x: number) => number) => growth(sizes.map((x) => ({ x, y: cost(x) })));

test('a power law shows its exponent and has no knee', () => {
  for (const exponent of [0, 1, 2, 0.5]) {
    const shape = of((x) => 7 * x ** exponent);
    assert.ok(Math.abs(shape.exponent - exponent) < 1e-9, String(shape.exponent));
    assert.equal(shape.knee, undefined);
  }
});

test('a fixed cost with a linear one bends where they are about equal', () => {
  const { knee } = of((x) => 100 + x);
  assert.ok(knee !== undefined && knee.x >= 64 && knee.x <= 256, JSON.stringify(knee));
  assert.ok(knee.before < 0.3 && knee.after > 0.7, JSON.stringify(knee));
});

test('a growth is told in words, with its knee in its own unit', () => {
  assert.equal(
    describeGrowth(
      of(() => 5),
      String,
    ),
    'flat (exponent 0.00)',
  );
  assert.match(
    describeGrowth(
      of((x) => (x < 64 ? 10 : (10 * x) / 64)),
      (x) => `${Math.round(x)} KB`,
    ),
    /^flat \(exponent -?0\.00\) up to the knee near 64 KB, then linear \(1\.00\)$/,
  );
});
