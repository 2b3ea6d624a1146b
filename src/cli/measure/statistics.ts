/**
 * The few statistics that a benchmark needs, on plain arrays of numbers. Medians and ranks throughout: on a shared machine
 * one sample in a hundred is a hundred times too long, and a mean would report the neighbour's work.
 */

/** The value at quantile `q` (0 to 1) of any numbers, by linear interpolation; NaN of none. */
export function quantile(values: readonly number[], q: number): number {
  return quantileOfSorted([...values].sort(ascending), q);
}

export function quantileOfSorted(sorted: readonly number[], q: number): number {
  if (sorted.length === 0) return Number.NaN;
  const at = q * (sorted.length - 1);
  const below = sorted[Math.floor(at)] as number;
  const above = sorted[Math.ceil(at)] as number;
  return below + (above - below) * (at - Math.floor(at));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

const ascending = (a: number, b: number): number => a - b;

/** A median and the interval that holds the true one with the given probability. */
export interface Estimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  /** The probability, between 0 and 1; fewer than six samples cannot reach 0.95. */
  readonly coverage: number;
  readonly samples: number;
}

/**
 * The distribution-free interval of a median: two of the ranked samples, chosen so that the binomial chance of the true
 * median lying between them is at least {@link wanted}, or the widest there is.
 */
export function estimate(values: readonly number[]): Estimate {
  const sorted = [...values].sort(ascending);
  const n = sorted.length;
  const skipped = tailRank(n);
  return {
    median: quantileOfSorted(sorted, 0.5),
    low: sorted[skipped] ?? Number.NaN,
    high: sorted[n - 1 - skipped] ?? Number.NaN,
    coverage: n === 0 ? 0 : coverageOf(n, skipped),
    samples: n,
  };
}

const wanted = 0.95;

/** How many samples can be left out at each end while the rest still covers the median with the wanted probability. */
function tailRank(n: number): number {
  let skipped = 0;
  while (2 * (skipped + 2) <= n && coverageOf(n, skipped + 1) >= wanted) skipped += 1;
  return skipped;
}

/** 1 - 2 P(at most `skipped` of `n` fair coins show heads). */
function coverageOf(n: number, skipped: number): number {
  let term = 0.5 ** n;
  let tail = term;
  for (let k = 1; k <= skipped; k++) {
    term *= (n - k + 1) / k;
    tail += term;
  }
  return Math.max(0, 1 - 2 * tail);
}

export type Relation = 'less' | 'more' | 'inside the noise';

/** Whether a ratio differs from 1, as far as its interval can tell. */
export function relation(ratio: Estimate): Relation {
  if (ratio.high < 1) return 'less';
  if (ratio.low > 1) return 'more';
  return 'inside the noise';
}

/** Ratios of numbers that were measured in the same round. */
export function pairedRatio(values: readonly number[], baseline: readonly number[]): Estimate {
  const ratios: number[] = [];
  for (const [round, value] of values.entries()) {
    const base = baseline[round];
    if (base !== undefined && base > 0) ratios.push(value / base);
  }
  return estimate(ratios);
}
