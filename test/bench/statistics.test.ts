import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimate, median, pairedRatio, quantile, relation } from '../../src/cli/measure/statistics.js';

test('a quantile interpolates between ranked values, whatever their order', () => {
  assert.equal(quantile([4, 1, 3, 2], 0.5), 2.5);
  assert.equal(quantile([10, 30, 20], 1), 30);
  assert.equal(quantile([0, 10], 0.99), 9.9);
  assert.ok(Number.isNaN(median([])));
});

test('the interval of a median takes the ranks of the binomial table', () => {
  // For n = 15 the 95 % interval runs from the 4th to the 12th value; for n = 25 from the 8th to the 18th.
  const fifteen = estimate(Array.from({ length: 15 }, (_, at) => at + 1));
  assert.deepEqual([fifteen.low, fifteen.median, fifteen.high], [4, 8, 12]);
  assert.ok(fifteen.coverage >= 0.95 && fifteen.coverage < 0.97, String(fifteen.coverage));
  const many = estimate(Array.from({ length: 25 }, (_, at) => at + 1));
  assert.deepEqual([many.low, many.median, many.high], [8, 13, 18]);
});

test('too few samples give the widest interval there is, and say how little it covers', () => {
  const { coverage, high, low } = estimate([3, 1, 2]);
  assert.deepEqual([low, high], [1, 3]);
  assert.equal(coverage, 0.75);
});

test('an interval that straddles 1 is inside the noise', () => {
  const rows: [number[], string][] = [
    [[1.2, 1.3, 1.25, 1.4, 1.1, 1.3, 1.2], 'more'],
    [[0.5, 0.6, 0.55, 0.7, 0.5, 0.6, 0.5], 'less'],
    [[0.9, 1.1, 1.05, 0.95, 1.2, 0.8, 1.0], 'inside the noise'],
  ];
  for (const [ratios, expected] of rows) assert.equal(relation(estimate(ratios)), expected);
});

test('ratios are taken within a round, so that a slow round of both sides cancels out', () => {
  const baseline = [10, 100, 10, 1000, 10, 10];
  const {
    high,
    low,
    median: middle,
  } = pairedRatio(
    baseline.map((value) => value * 1.5),
    baseline,
  );
  assert.deepEqual([low, middle, high], [1.5, 1.5, 1.5]);
});
