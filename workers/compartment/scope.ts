/**
 * What lives no longer than a callback: timers, requests, host calls. An instance is entered by each callback and left at its
 * end; when the last has left, everything still open is stopped. Outside, nothing can be opened, so no code of a plugin wakes
 * up during another server's callback.
 */
export interface Scope {
  /** Throws where no callback runs. The returned function forgets `stop` again. */
  open(what: string, stop: () => void): () => void;
  enter(): void;
  leave(): void;
}

export function createScope(): Scope {
  const stops = new Set<() => void>();
  let inside = 0;
  return {
    open(what, stop) {
      if (inside === 0) throw new Error(`${what} exists only while a callback runs`);
      stops.add(stop);
      return () => stops.delete(stop);
    },
    enter() {
      inside += 1;
    },
    leave() {
      inside -= 1;
      if (inside > 0) return;
      for (const stop of stops) stop();
      stops.clear();
    },
  };
}
