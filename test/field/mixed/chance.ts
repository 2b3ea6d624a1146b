/** Seeded chance (mulberry32), so that a run that fails can be run again. */
export interface Chance {
  /** 0 up to, not including, `below`. */
  integer(below: number): number;
  pick<T>(choices: readonly T[]): T;
  /** True once in `of` times. */
  once(of: number): boolean;
}

export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const integer = (below: number) => Math.floor(next() * below);
  return {
    integer,
    pick: (choices) => choices[integer(choices.length)] as never,
    once: (of) => integer(of) === 0,
  };
}
