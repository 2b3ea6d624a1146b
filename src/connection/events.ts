/**
 * A small typed emitter. A listener that throws hurts neither its siblings nor the connection: it becomes a process warning.
 */
export interface Emitter<Events extends { [name in keyof Events]: readonly unknown[] }> {
  /** The returned function unsubscribes. */
  on<Name extends keyof Events>(name: Name, listener: (...args: Events[Name]) => void): () => void;
  emit<Name extends keyof Events>(name: Name, ...args: Events[Name]): void;
  has(name: keyof Events): boolean;
}

export function createEmitter<Events extends { [name in keyof Events]: readonly unknown[] }>(
  names: readonly (keyof Events)[],
): Emitter<Events> {
  type Listener = (...args: readonly unknown[]) => void;
  const listeners = new Map<keyof Events, Set<Listener>>(names.map((name) => [name, new Set()]));

  return {
    on(name, listener) {
      const set = listeners.get(name);
      if (set === undefined) throw new TypeError(`no such event: ${String(name)} (there are: ${names.join(', ')})`);
      if (typeof listener !== 'function') throw new TypeError(`a listener of ${String(name)} must be a function`);
      const own = listener as unknown as Listener;
      set.add(own);
      return () => set.delete(own);
    },
    emit(name, ...args) {
      for (const listener of [...(listeners.get(name) ?? [])]) {
        try {
          listener(...args);
        } catch (error) {
          process.emitWarning(`a listener of "${String(name)}" threw: ${String(error)}`, { code: 'MCP_BULKHEAD_LISTENER' });
        }
      }
    },
    has: (name) => (listeners.get(name)?.size ?? 0) > 0,
  };
}
