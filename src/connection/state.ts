/**
 * `context.state`: one plain value per connection, kept in the main thread. When a session ends its value is parked under the
 * server id, so that the next connection to that server finds it (the last one to end wins).
 */
import type { Json } from '../contract/handler.js';
import { forgetOldest } from './oldest.js';

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
          forgetOldest(parked);
          taken = false;
          value = undefined;
        },
      };
    },
  };
}
