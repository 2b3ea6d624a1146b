/** Seeded randomness: the same seed plays the same episode, on every machine. */
export interface Random {
  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number;
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** One of the members, by weight. */
  weighed<T>(weights: readonly (readonly [weight: number, item: T])[]): T;
}

/** mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)] as never,
    weighed(weights) {
      let left = next() * weights.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, item] of weights) {
        left -= weight;
        if (left < 0) return item;
      }
      return (weights.at(-1) as readonly [number, never])[1];
    },
  };
}
