/**
 * The shape of growth: how a cost rises with the size of what is asked. On a double logarithmic scale a power law is a
 * straight line whose slope is its exponent: 0 is flat, 1 is linear. A fixed cost plus a linear one bends once; the bend is
 * the knee.
 */

export interface Point {
  readonly x: number;
  readonly y: number;
}

interface Line {
  readonly exponent: number;
  /** How much of the variation the line explains, 0 to 1. */
  readonly fit: number;
}

export interface Growth extends Line {
  /** Present if two lines with clearly different slopes explain the points much better than one. */
  readonly knee?: { readonly x: number; readonly before: number; readonly after: number };
}

interface Fit extends Line {
  readonly intercept: number;
  readonly error: number;
}

/** Points must have positive coordinates and at least two different `x`. */
export function growth(points: readonly Point[]): Growth {
  const sorted = [...points].sort((a, b) => a.x - b.x);
  const whole = fit(sorted);
  const knee = bend(sorted, whole);
  const line = { exponent: whole.exponent, fit: whole.fit };
  return knee === undefined ? line : { ...line, knee };
}

function fit(of: readonly Point[]): Fit {
  const points = of.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }));
  const n = points.length;
  const meanX = points.reduce((sum, p) => sum + p.x, 0) / n;
  const meanY = points.reduce((sum, p) => sum + p.y, 0) / n;
  let xx = 0;
  let xy = 0;
  let yy = 0;
  for (const { x, y } of points) {
    xx += (x - meanX) ** 2;
    xy += (x - meanX) * (y - meanY);
    yy += (y - meanY) ** 2;
  }
  const exponent = xx === 0 ? 0 : xy / xx;
  const error = Math.max(0, yy - exponent * xy);
  return { exponent, intercept: meanY - exponent * meanX, error, fit: yy === 0 ? 1 : 1 - error / yy };
}

/** The best split into two lines of three points or more that share one, if it halves the error and changes the slope by a quarter at least. */
function bend(points: readonly Point[], whole: Fit): Growth['knee'] {
  let best: { readonly error: number; readonly knee: NonNullable<Growth['knee']> } | undefined;
  for (let at = 2; at < points.length - 2; at++) {
    const before = fit(points.slice(0, at + 1));
    const after = fit(points.slice(at));
    const error = before.error + after.error;
    if (best !== undefined && error >= best.error) continue;
    const { x } = points[at] as Point;
    best = { error, knee: { x, before: before.exponent, after: after.exponent } };
  }
  if (best === undefined || best.error > whole.error / 2) return undefined;
  return Math.abs(best.knee.after - best.knee.before) < 0.25 ? undefined : best.knee;
}

/** One sentence about a growth, for example `flat (exponent 0.03) up to 64 KB, then linear (0.97)`. */
export function describeGrowth(shape: Growth, unit: (x: number) => string): string {
  const { knee } = shape;
  if (knee === undefined) return `${shapeName(shape.exponent)} (exponent ${shape.exponent.toFixed(2)})`;
  const before = `${shapeName(knee.before)} (exponent ${knee.before.toFixed(2)})`;
  return `${before} up to the knee near ${unit(knee.x)}, then ${shapeName(knee.after)} (${knee.after.toFixed(2)})`;
}

function shapeName(exponent: number): string {
  if (exponent < -0.15) return 'falling';
  if (exponent <= 0.15) return 'flat';
  if (exponent < 0.85) return 'less than linear';
  return exponent <= 1.15 ? 'linear' : 'more than linear';
}
