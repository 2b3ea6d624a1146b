/**
 * The mailbox of a session: opened by the first thing to put in, when the era is known and the handler has loaded, and dropped with the
 * session.
 */
import type { Mailbox } from '../notifications/mailbox.js';
import type { Emitter } from './events.js';
import type { ConnectionEvents, ConnectionStats } from './face.js';
import type { Link } from './link.js';
import type { ConnectionSettings } from './settings.js';

export interface LazyMailbox extends Pick<Mailbox, 'notify' | 'log' | 'close'> {
  /** Undefined while it is not open. */
  stats(): ConnectionStats['notifications'];
}

export interface LazyMailboxRooms {
  readonly settings: ConnectionSettings;
  readonly link: Link;
  readonly events: Emitter<ConnectionEvents>;
  /** Whether a session is open, and a handler there. */
  isOpen(): boolean;
}

export function createLazyMailbox(rooms: LazyMailboxRooms): LazyMailbox {
  let mailbox: Mailbox | undefined;

  function opened(): Mailbox | undefined {
    if (rooms.isOpen()) mailbox ??= open(rooms);
    return mailbox;
  }

  return {
    notify: (method, params) => opened()?.notify(method, params),
    log: (entry) => opened()?.log(entry),
    stats: () => mailbox?.stats(),
    close() {
      mailbox?.close();
      mailbox = undefined;
    },
  };
}

function open({ settings, link, events }: LazyMailboxRooms): Mailbox {
  const isolation = link.isolation();
  return settings.notifications(isolation).open({
    id: settings.id,
    context: { client: settings.name, serverId: settings.serverId, era: link.session.era ?? 'legacy' },
    limits: settings.limits.notifications,
    busyTimeout: settings.limits.busyTimeout,
    killGrace: settings.limits.killGrace,
    wants: (kind) => isolation.description.callbacks.includes(kind),
    onDropped: ({ count }) => link.dropped({ what: 'notification', reason: 'full', count }),
    onFault: (fault) => events.emit('fault', fault),
  });
}
