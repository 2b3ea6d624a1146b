/**
 * Where callbacks run: one place per handler module, shared by all connections that name it, with the mailbox room it drains.
 */
import type { Clock } from './clock.js';
import { exportOf } from './contract/handler.js';
import { createIsolation, type IsolationSettings } from './isolation/create.js';
import type { Isolation } from './isolation/isolation.js';
import { createNotifications, type Notifications, type NotificationsSettings } from './notifications/mailbox.js';

export interface Places {
  /** Loads a module once; a module that could not be loaded is tried again by the next who asks. */
  at(handler: string | undefined): Promise<Isolation>;
  notifications(isolation: Isolation): Notifications;
  list(): readonly Isolation[];
  /** Each module by itself: one that does not load stays as it was, and rejects when the others have turned. */
  reload(): Promise<void>;
  close(how: 'kill' | 'wait'): Promise<void>;
}

export function createPlaces(
  make: (handler: string | undefined) => IsolationSettings,
  clock: Clock,
  events: Pick<NotificationsSettings, 'report' | 'halted'>,
): Places {
  const loading = new Map<string | undefined, Promise<Isolation>>();
  const rooms = new Map<Isolation, Notifications>();

  function notifications(isolation: Isolation): Notifications {
    const known = rooms.get(isolation);
    if (known !== undefined) return known;
    const room = createNotifications({ consumer: () => isolation.consumer(), clock, ...events });
    rooms.set(isolation, room);
    return room;
  }

  return {
    at(handler) {
      const known = loading.get(handler);
      if (known !== undefined) return known;
      const place = createIsolation(make(handler)).then((isolation) => {
        notifications(isolation);
        if (handler !== undefined && isolation.description.callbacks.length === 0) warnOfNothing(handler);
        return isolation;
      });
      loading.set(handler, place);
      place.catch(() => loading.delete(handler));
      return place;
    },
    notifications,
    list: () => [...rooms.keys()],
    async reload() {
      const reloads = await Promise.allSettled([...rooms.keys()].map((isolation) => isolation.reload()));
      for (const reload of reloads) if (reload.status === 'rejected') throw reload.reason;
    },
    async close(how) {
      await Promise.allSettled([...loading.values()]);
      await Promise.all([...rooms.values()].map((room) => room.close()));
      await Promise.all([...rooms.keys()].map((isolation) => isolation.close(how)));
    },
  };
}

/** Legal (behaviour 1), and hardly ever meant: more often an export is misspelt. */
function warnOfNothing(handler: string): void {
  const names = Object.values(exportOf).join(', ');
  process.emitWarning(`handler "${handler}" exports none of ${names}: nothing is advertised`, { code: 'MCP_BULKHEAD_HANDLER' });
}
