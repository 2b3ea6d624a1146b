/**
 * A stretch of work for one call that ends early when the call does: what waits inside it wakes up with the call's error.
 */
import type { Clock } from '../clock.js';
import { BulkheadError } from '../errors.js';
import type { KillReason } from '../isolation/isolation.js';

export interface Spell {
  /** Calls `fn` when the spell ends, or at once if it has. The returned function takes that back. */
  onEnd(fn: (reason: KillReason) => void): () => void;
  /** Resolves with what `begin` is called back with, or rejects when the spell is broken; what `begin` returns gives the waiting up. */
  until<T>(begin: (done: (value: T) => void) => () => void): Promise<T>;
  /** Resolves after `ms`, or rejects when the spell is broken. */
  sleep(ms: number): Promise<void>;
  /** Ends it: everything that waits rejects, everything that listens is told. */
  end(reason: KillReason): void;
}

export function createSpell(clock: Clock): Spell {
  const listeners = new Set<(reason: KillReason) => void>();
  let over: KillReason | undefined;

  function onEnd(fn: (reason: KillReason) => void): () => void {
    if (over !== undefined) fn(over);
    else listeners.add(fn);
    return () => listeners.delete(fn);
  }

  /** A listener that is taken back: one promise raced with by everything that ever waits would remember it all. */
  function until<T>(begin: (done: (value: T) => void) => () => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const quit = begin((value) => {
        forget();
        resolve(value);
      });
      const forget = onEnd((reason) => {
        quit();
        reject(errorFor(reason));
      });
    });
  }

  return {
    onEnd,
    until,
    sleep: (ms) => until((wake) => clock.after(ms, () => wake(undefined))),
    end(reason) {
      if (over !== undefined) return;
      over = reason;
      for (const fn of listeners) fn(reason);
      listeners.clear();
    },
  };
}

function errorFor(reason: KillReason): BulkheadError {
  return new BulkheadError(reason === 'closed' ? 'closed' : 'cancelled', `the call was given up: ${reason}`);
}
