/**
 * How many log entries a connection may spend (behaviour 52). One thread, one connection, plain numbers: this is asked before
 * anything else is done with a log message, so that a flood costs its sender's bytes and little more.
 *
 * What is refused is counted, and the count is handed out once: suppression is reported, never silent.
 */
import type { Clock } from '../clock.js';

export interface LogLimit {
  /** Takes a token if there is one. */
  admit(): boolean;
  /** How many were refused since this was last asked. */
  suppressed(): number;
}

/** Forgives the rounding of many small refills; far below what a token takes to drip. */
const rounding = 1e-9;

export function createLogLimit(
  { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
  clock: Pick<Clock, 'elapsed'>,
): LogLimit {
  let tokens = burst;
  let filled = clock.elapsed();
  let refused = 0;

  function refill(): void {
    const now = clock.elapsed();
    if (now > filled) tokens = Math.min(burst, tokens + ((now - filled) * perSecond) / 1000);
    filled = now; // a clock that went backwards gives nothing and takes nothing
  }

  return {
    admit() {
      refill();
      if (tokens < 1 - rounding) {
        refused += 1;
        return false;
      }
      tokens -= 1;
      return true;
    },
    suppressed() {
      const count = refused;
      refused = 0;
      return count;
    },
  };
}
