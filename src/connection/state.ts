/**
 * `context.state`: one plain value per connection, kept in the main thread. When a session ends its value is parked under the
 * server id, so that the next connection to that server finds it (the last one to end wins).
 */
import type { Json } from '../contract/handler.js';

/** Values parked at most; the oldest is forgotten first. */
const parkedMost = 1_000;

export interface States {
  open(serverId: string): { get(): Json | undefined; commit(next: Json): void; park(): void };
}

export function createStates(): States {
  const parked = new Map<string, Json>();
  return {
    open(serverId) {
      let taken = false;
      let value: Json | undefined;
      const get = (): Json | undefined => {
        if (taken) return value;
        taken = true;
        value = parked.get(serverId);
        parked.delete(serverId);
        return value;
      };
      return {
        get,
        commit(next) {
          taken = true;
          value = next;
        },
        park() {
          if (value === undefined) return;
          parked.delete(serverId);
          parked.set(serverId, value);
          const [oldest] = parked.keys();
          if (parked.size > parkedMost && oldest !== undefined) parked.delete(oldest);
          taken = false;
          value = undefined;
        },
      };
    },
  };
}
