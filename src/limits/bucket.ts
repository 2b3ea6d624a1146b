/**
 * The input budget (behaviours 31, 32): token buckets in one `SharedArrayBuffer`, spent from by any number of threads without
 * a lock. Public entry `mcp-bulkhead/bucket`.
 *
 * Each key has a slot that holds one time, by the generic cell rate algorithm: when the bucket will be full again. A take
 * moves that time on by the price of one token, and only one thread's compare-and-swap can do so from a given value. So N
 * threads admit exactly the limit, and not one more.
 */
import { integer, object, wrong } from '../checks.js';
import { keyWord, layOut, maxSlots, place, slotsOf, timeWord, wordsOf } from './map.js';

export interface Rate {
  /** Tokens that drip in a second: from 0.001 to 1 000 000. Fractions are fine. */
  readonly perSecond: number;
  /** Tokens a full bucket holds: an integer from 1 to 1 000 000. */
  readonly burst: number;
}

/** `full`: the table has no slot left for a new key. Known keys go on; nothing is ever evicted. */
export type Take = 'taken' | 'refused' | 'full';

/** Nanoseconds of a monotonic clock that all threads of the table share. */
export type NanosecondClock = () => bigint;

export interface Budget {
  /** What to hand to other threads: `openBudget(buffer)` there spends from the same buckets. */
  readonly buffer: SharedArrayBuffer;
  /** Takes one token of `key`. A new key starts with a full bucket. Throws `options` for a rate out of range. */
  take(key: string, rate: Rate): Take;
  /** Milliseconds, rounded up, until a take could succeed: 0 if now, `Infinity` if the table is full. Takes nothing. */
  delay(key: string, rate: Rate): number;
}

const table = object({ slots: integer(1, maxSlots) });

/** Memory for `slots` keys (1 to 1 048 576, default 1 024), 16 bytes each. Throws `options` for a number out of range. */
export function createBudgetBuffer(options: { readonly slots?: number } = {}): SharedArrayBuffer {
  return layOut(table('createBudgetBuffer', options, { slots: 1024 }).slots);
}

/**
 * Opens a budget over `buffer`, or over a fresh one. Throws `options` if the buffer was not made by {@link createBudgetBuffer}.
 *
 * The default clock is the system-wide monotonic one, the same in every thread. A clock that goes backwards admits nothing
 * until it has caught up with the last take: time may be lost, tokens are never given twice.
 */
export function openBudget(
  buffer: SharedArrayBuffer = createBudgetBuffer(),
  clock: NanosecondClock = process.hrtime.bigint,
): Budget {
  const words = buffer instanceof SharedArrayBuffer ? wordsOf(buffer) : null;
  if (words === null) wrong('buffer', 'a SharedArrayBuffer made by createBudgetBuffer()', buffer);
  return createBudget(words, buffer, clock);
}

function createBudget(words: BigInt64Array, buffer: SharedArrayBuffer, clock: NanosecondClock): Budget {
  const slotOf = createSearch(words);

  function take(key: string, rate: Rate): Take {
    const { price, depth } = prices(rate);
    const slot = slotOf(key, true);
    if (slot === none) return 'full';
    const word = timeWord(slot);
    for (;;) {
      // The time is loaded before the clock is read: whoever stored it read the clock earlier than we do.
      const full = Atomics.load(words, word);
      const now = clock();
      const next = later(full, now) + price;
      if (next - now > depth) return 'refused';
      // Pairs with itself: of all threads that loaded `full`, one stores and the others go round again.
      if (Atomics.compareExchange(words, word, full, next) === full) return 'taken';
    }
  }

  function delay(key: string, rate: Rate): number {
    const { price, depth } = prices(rate);
    const slot = slotOf(key, false);
    if (slot === none) return Number.POSITIVE_INFINITY;
    if (slot === free) return 0;
    const full = Atomics.load(words, timeWord(slot));
    const wait = full + price - clock() - depth;
    return wait > 0n ? Math.ceil(Number(wait) / 1e6) : 0;
  }

  return { buffer, take, delay };
}

const none = -1;
const free = -2;

/** Finds the slot of a key, claiming one if asked to. A slot once found is remembered: keys never move. */
function createSearch(words: BigInt64Array): (key: string, claim: boolean) => number {
  const slots = slotsOf(words);
  const known = new Map<string, number>();

  function probe(key: string, claim: boolean): number {
    const { name, home } = place(key, slots);
    for (let step = 0; step < slots; step++) {
      const slot = (home + step) % slots;
      const word = keyWord(slot);
      const seen = Atomics.load(words, word);
      if (seen === name) return slot;
      if (seen !== 0n) continue;
      if (!claim) return free;
      // Pairs with every other thread's claim: the loser sees whose the slot now is, perhaps its own key's.
      const winner = Atomics.compareExchange(words, word, 0n, name);
      if (winner === 0n || winner === name) return slot;
    }
    return none;
  }

  return (key, claim) => {
    const remembered = known.get(key);
    if (remembered !== undefined) return remembered;
    const slot = probe(key, claim);
    if (slot === free) return free;
    // A key that found a full table will never get in, so that is remembered too, within bounds.
    if (known.size >= slots * 2) known.clear();
    known.set(key, slot);
    return slot;
  };
}

/** What a token costs and what a full bucket holds, in nanoseconds. Rounded up, so that no rounding admits more. */
function prices({ perSecond, burst }: Rate): { readonly price: bigint; readonly depth: bigint } {
  if (!(Number.isFinite(perSecond) && perSecond >= 0.001 && perSecond <= 1e6))
    wrong('perSecond', 'a number from 0.001 to 1000000', perSecond);
  if (!(Number.isSafeInteger(burst) && burst >= 1 && burst <= 1e6)) wrong('burst', 'an integer from 1 to 1000000', burst);
  const price = BigInt(Math.ceil(1e9 / perSecond));
  return { price, depth: price * BigInt(burst) }; // at most 10^18, which leaves a 64-bit clock two centuries
}

function later(one: bigint, other: bigint): bigint {
  if (one > other) return one;
  return other;
}
