/**
 * A clock that stands still until a test turns it.
 *
 * `advance` fires every timer that becomes due, in order of due time and, within one time, of setting; timers that those
 * timers set are fired too if they fall into the same stretch. Time reads, inside a timer, as the moment it was due.
 * Nothing here ever waits, so a test of five minutes takes none.
 */
import type { Clock } from '../clock.js';

export interface ManualClock extends Clock {
  /** Moves time on by `ms` and fires what becomes due, before it returns. */
  advance(ms: number): void;
  /** The same, and lets promise callbacks run before the first, between two and after the last timer. */
  advanceAsync(ms: number): Promise<void>;
  /** Sets the wall clock off by `ms` (a person changed it, a laptop slept): `now()` moves, `elapsed()` and timers do not. */
  shift(ms: number): void;
  /** Timers that are set and have neither fired nor been taken back. */
  readonly pending: number;
}

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly fn: () => void;
}

/** A fixed moment, so that epoch times in test output are recognisable: 2026-07-28, the modern revision's day. */
const epoch = Date.UTC(2026, 6, 28);

/**
 * Creates a clock that reads `start` (epoch milliseconds) and `elapsed()` 0.
 *
 * ```ts
 * const clock = createManualClock();
 * const bulkhead = await createBulkhead({ handler, clock });
 * await clock.advanceAsync(300_000); // the form's deadline
 * ```
 */
export function createManualClock(start: number = epoch): ManualClock {
  const timers = new Set<Timer>();
  let elapsed = 0;
  let offset = start;
  let order = 0;

  const earliest = (until: number): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) {
      if (timer.due <= until && (first === undefined || isBefore(timer, first))) first = timer;
    }
    return first;
  };

  const fireNext = (until: number): boolean => {
    const timer = earliest(until);
    if (timer === undefined) return false;
    timers.delete(timer);
    elapsed = Math.max(elapsed, timer.due);
    timer.fn();
    return true;
  };

  return {
    now: () => offset + elapsed,
    elapsed: () => elapsed,
    after(ms, fn) {
      const timer: Timer = { due: elapsed + Math.max(ms, 0), order: order++, fn };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      const until = elapsed + forward(ms);
      while (fireNext(until));
      elapsed = until;
    },
    async advanceAsync(ms) {
      const until = elapsed + forward(ms);
      do await promiseJobs();
      while (fireNext(until));
      elapsed = until;
      await promiseJobs();
    },
    shift(ms) {
      offset += ms;
    },
    get pending() {
      return timers.size;
    },
  };
}

const isBefore = (a: Timer, b: Timer): boolean => a.due < b.due || (a.due === b.due && a.order < b.order);

function forward(ms: number): number {
  if (!(ms >= 0 && ms < Number.POSITIVE_INFINITY))
    throw new RangeError(`a clock turns forward by finite milliseconds, not ${ms}`);
  return ms;
}

/** One full turn of the event loop's check phase: every promise callback that was ready has run by then. */
const promiseJobs = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
