/**
 * Who has a task: one shared word between the main thread and one runner.
 *
 * The main thread offers a task before it sends it; the runner takes it when it begins. A task that was not taken can be revoked,
 * and is then never begun: each side moves the word by compare-and-swap, so exactly one of them wins. A runner that knows nothing
 * of claims leaves the word alone, and then nothing can be revoked.
 */

/** The runner has not agreed to claims. */
const unknown = -1;
/** Nothing is on offer. */
const none = 0;

export interface Claim {
  /** Goes to the runner with the load task. */
  readonly word: Int32Array;
  offer(run: number): void;
  /** True if the runner had not begun, and now never will. */
  revoke(run: number): boolean;
}

export function createClaim(): Claim {
  const word = new Int32Array(new SharedArrayBuffer(4));
  Atomics.store(word, 0, unknown);
  return {
    word,
    offer(run) {
      if (Atomics.load(word, 0) !== unknown) Atomics.store(word, 0, keyOf(run));
    },
    // Against `takeClaim`: whoever swaps first has the task.
    revoke: (run) => Atomics.compareExchange(word, 0, keyOf(run), none) === keyOf(run),
  };
}

/** The runner's part, once: from now on it begins nothing that it could not take. */
export function agreeToClaims(word: Int32Array): void {
  Atomics.compareExchange(word, 0, unknown, none);
}

/** The runner's part for each task: false if it was revoked. Against `revoke`. */
export function takeClaim(word: Int32Array, run: number): boolean {
  return Atomics.compareExchange(word, 0, keyOf(run), none) === keyOf(run);
}

/** Positive and 31 bits wide; two runs of one cell are never 2^31 apart. */
function keyOf(run: number): number {
  return (run & 0x7fff_ffff) + (run % 2 ** 31 === 0 ? 1 : 0);
}
