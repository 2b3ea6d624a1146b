/** Verdicts on goals: from a plain number, or from an estimate whose interval may be too wide to tell. */
import type { Goal, Verdict } from './answer.js';
import { number } from './spelling.js';
import type { Estimate } from './statistics.js';

export interface Limit {
  readonly what: string;
  /** As the design says it, for example `<= 1.25x`. */
  readonly goal: string;
  readonly limit: number;
  /** Whether the measured value must stay at or below the limit, or reach it. */
  readonly must: 'stay below' | 'reach';
  /** Follows the number: `x`, ` us`. */
  readonly unit: string;
  readonly note?: string;
}

/** Judges a single figure: there is no interval, so there is no `open`. */
export function judge(limit: Limit, measured: number): Goal {
  return told(limit, `${number(measured)}${limit.unit}`, within(limit, measured) ? 'met' : 'missed');
}

/** Judges an estimate: `open` where its interval straddles the limit. */
export function judgeEstimate(limit: Limit, measured: Estimate): Goal {
  const { low, high, median } = measured;
  const text = `${number(median)}${limit.unit} (${number(low)} to ${number(high)})`;
  const inside = within(limit, low) === within(limit, high);
  return told(limit, text, inside ? (within(limit, median) ? 'met' : 'missed') : 'open');
}

function within({ limit, must }: Limit, value: number): boolean {
  return must === 'reach' ? value >= limit : value <= limit;
}

function told({ what, goal, note }: Limit, measured: string, verdict: Verdict): Goal {
  return { what, goal, measured, verdict, ...(note === undefined ? {} : { note }) };
}
