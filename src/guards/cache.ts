/**
 * A bounded map that forgets what was used longest ago. Bounded by number and by weight, so that neither many small nor a
 * few large entries fill the memory of a host.
 */
export interface Cache<T> {
  get(key: string): T | undefined;
  /** Keeps `value`, unless its key alone outweighs the cache. */
  set(key: string, value: T): void;
  readonly size: number;
}

/** `weight` bounds the UTF-16 units of all keys together. */
export function createCache<T>({ entries, weight }: { readonly entries: number; readonly weight: number }): Cache<T> {
  const kept = new Map<string, T>();
  let total = 0;
  let youngest: string | undefined;

  function drop(key: string): void {
    if (kept.delete(key)) total -= key.length;
  }

  function makeRoom(): void {
    for (const oldest of kept.keys()) {
      if (kept.size <= entries && total <= weight) return;
      drop(oldest);
    }
  }

  return {
    get(key) {
      const value = kept.get(key);
      if (value === undefined || key === youngest) return value;
      kept.delete(key); // a Map iterates in the order of insertion: the youngest goes to the end
      kept.set(key, value);
      youngest = key;
      return value;
    },
    set(key, value) {
      drop(key);
      if (key.length > weight) return;
      kept.set(key, value);
      youngest = key;
      total += key.length;
      makeRoom();
    },
    get size() {
      return kept.size;
    },
  };
}
