/**
 * A stretch of work for one call that ends early when the call does: what waits inside it wakes up with the call's error.
 */
import type { Clock } from '../clock.js';
import { BulkheadError } from '../errors.js';
import type { KillReason } from '../isolation/isolation.js';

export interface Spell {
  /** Rejects when the spell is broken; never resolves. */
  readonly ended: Promise<never>;
  /** Calls `fn` when the spell ends, or at once if it has. The returned function takes that back. */
  onEnd(fn: (reason: KillReason) => void): () => void;
  /** Resolves after `ms`, or rejects when the spell is broken. */
  sleep(ms: number): Promise<void>;
  /** Ends it: everything that waits rejects, everything that listens is told. */
  end(reason: KillReason): void;
}

export function createSpell(clock: Clock): Spell {
  const listeners = new Set<(reason: KillReason) => void>();
  let over: KillReason | undefined;
  let broken: (error: BulkheadError) => void = () => {};
  const ended = new Promise<never>((_resolve, reject) => {
    broken = reject;
  });
  ended.catch(() => {});
  return {
    ended,
    onEnd(fn) {
      if (over !== undefined) fn(over);
      else listeners.add(fn);
      return () => listeners.delete(fn);
    },
    async sleep(ms) {
      let disarm = (): void => {};
      try {
        await Promise.race([
          ended,
          new Promise<void>((resolve) => {
            disarm = clock.after(ms, resolve);
          }),
        ]);
      } finally {
        disarm();
      }
    },
    end(reason) {
      if (over !== undefined) return;
      over = reason;
      broken(new BulkheadError(reason === 'closed' ? 'closed' : 'cancelled', `the call was given up: ${reason}`));
      for (const fn of listeners) fn(reason);
      listeners.clear();
    },
  };
}
