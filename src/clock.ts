/**
 * Time, as one value that every room is handed. `now` is epoch milliseconds for deadlines that people read; `elapsed` is
 * monotonic milliseconds for durations, which a changed system clock or a laptop's sleep does not bend.
 */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Monotonic milliseconds from an arbitrary origin. */
  elapsed(): number;
  /** Calls `fn` once after `ms` (0 to 2^31-1) milliseconds; the returned function takes that back. Never holds the process open. */
  after(ms: number, fn: () => void): () => void;
}

/** The longest delay a Node timer takes; a longer one would fire at once. */
export const longestTimer: number = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: Date.now,
  elapsed: () => performance.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, Math.min(Math.max(ms, 0), longestTimer));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Calls `fn` after `ms` in which nothing was heard that takes it back. In two halves: a main thread that was blocked all the while, or a
 * machine that slept, hears what came meanwhile before it judges.
 */
export function afterSilence(clock: Clock, ms: number, fn: () => void): () => void {
  let cancel = clock.after(ms / 2, () => {
    cancel = clock.after(ms / 2, fn);
  });
  return () => cancel();
}
