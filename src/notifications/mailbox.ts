/**
 * The front of the notification room: one bounded mailbox per connection, all drained by one consumer (behaviour 51).
 *
 * Kept: the order of each connection; the counts, exactly; the last `list_changed` of each kind. Dropped, counted and reported
 * once a second as one figure: what finds 1 000 waiting. Each item runs at most once, one at a time per connection, and a
 * connection's slow asynchronous callback holds up no other. The consumer is started when the first wanted item arrives.
 *
 * The core opens a mailbox per connection and closes it with the connection; at the end it closes the room *before* the
 * connections, so that no worker is replaced in vain. Invariant: `pushed` is the sum of all other figures of `stats()`.
 */
import type { Clock } from '../clock.js';
import type { JsonObject, LogEntry, NotificationContextData } from '../contract/handler.js';
import type { Consumer, ConsumerDeath, Fault } from '../isolation/isolation.js';
import { createDelivery, type Delivery, type End } from './delivery.js';
import { createDropCounter, type Drops } from './drops.js';
import { abandon, createLane, type Item, type Lane, take } from './lane.js';

export type { Drops } from './drops.js';

/** What the whole room reports. Each item that is lost goes to its own mailbox; a worker with which nothing was lost is not worth a word. */
export type NotificationsEvent =
  | { readonly type: 'consumer died'; readonly reason: ConsumerDeath['reason'] }
  /** It is tried again, after a pause that grows, as long as something waits. */
  | { readonly type: 'consumer not started'; readonly error: unknown };

export interface NotificationsSettings {
  /** Starts the consumer; called at most once at a time. */
  consumer(): Promise<Consumer>;
  readonly clock: Clock;
  /** Whether a debugger holds time still: nothing is late then. Default: it never does. */
  readonly halted?: () => boolean;
  report(event: NotificationsEvent): void;
}

/** An item that ended badly. Its params stay out of it. */
export interface MailboxFault {
  readonly kind: Item['kind'];
  readonly method: string;
  /** `threw`; `timeout` or `busy`: it was killed; `lost`: it ran beside another one that was; else why the worker died. */
  readonly reason: ConsumerDeath['reason'];
  readonly fault: Fault;
}

export interface MailboxSettings {
  /** The connection's, unique. */
  readonly id: number;
  readonly context: NotificationContextData;
  readonly limits: { readonly maxWaiting: number; readonly timeout: number };
  readonly busyTimeout: { readonly notification: number; readonly log: number };
  /** How long the signal of one that takes too long fires before the kill. */
  readonly killGrace: number;
  /** Whether the handler module, as it is loaded now, takes this kind; what it does not is not kept, not counted and starts nothing. */
  wants(kind: 'notification' | 'log'): boolean;
  onDropped(drops: Drops): void;
  onFault(fault: MailboxFault): void;
}

export interface MailboxStats {
  /** Wanted items that came in. */
  readonly pushed: number;
  readonly running: number;
  readonly waiting: number;
  /** Ran to their end. */
  readonly delivered: number;
  /** Threw, or could not be cloned. */
  readonly failed: number;
  /** Died with their worker, whoever's fault it was. */
  readonly killed: number;
  /** Never ran: the mailbox was full, or closed. */
  readonly dropped: number;
}

export interface Mailbox {
  /** A notification of the server, any but `message` and `cancelled`. */
  notify(method: string, params: JsonObject | undefined): void;
  /** A log entry that has passed the log limit and the sanitiser. */
  log(entry: LogEntry): void;
  stats(): MailboxStats;
  /** Drops what waits and kills what runs if nothing else runs beside it; reports drops that are not reported yet. */
  close(): void;
}

export interface Notifications {
  open(settings: MailboxSettings): Mailbox;
  /** Kills the consumer; mailboxes take nothing more. */
  close(): Promise<void>;
}

interface Box {
  readonly settings: MailboxSettings;
  readonly lane: Lane;
  readonly counts: { pushed: number; delivered: number; failed: number; killed: number; discarded: number };
  closed: boolean;
}

export function createNotifications({ consumer, clock, halted = () => false, report }: NotificationsSettings): Notifications {
  const boxes = new Map<Lane, Box>();
  const delivery = createDelivery({
    clock,
    halted,
    consumer,
    ended(lane, item, end) {
      const box = boxes.get(lane);
      if (box === undefined) return;
      account(box, item, end);
      if (box.closed) boxes.delete(lane);
    },
    died({ reason }) {
      if (reason !== 'closed') report({ type: 'consumer died', reason });
    },
    failed: (error) => report({ type: 'consumer not started', error }),
  });

  const close = (box: Box): void => {
    if (box.closed) return;
    box.closed = true;
    box.counts.discarded += abandon(box.lane);
    box.lane.drops.flush();
    delivery.forget(box.lane);
    if (box.lane.items.length === 0) boxes.delete(box.lane);
  };

  return {
    open(settings) {
      const lane = createLane(laneSettings(settings), createDropCounter(clock, settings.onDropped));
      const counts = { pushed: 0, delivered: 0, failed: 0, killed: 0, discarded: 0 };
      const box: Box = { settings, lane, counts, closed: false };
      boxes.set(lane, box);
      return mailboxOf(box, delivery, () => close(box));
    },
    async close() {
      await delivery.close();
      for (const box of [...boxes.values()]) close(box);
    },
  };
}

const laneSettings = ({ id, context, limits, busyTimeout, killGrace }: MailboxSettings): Lane['settings'] => ({
  id,
  context,
  busyTimeout,
  killGrace,
  ...limits,
});

function mailboxOf(box: Box, delivery: Delivery, close: () => void): Mailbox {
  const push = (kind: Item['kind'], method: string, params: unknown): void => {
    if (box.closed || !box.settings.wants(kind)) return;
    box.counts.pushed++;
    take(box.lane, { kind, method, params, weight: 0, sequence: -1 });
    delivery.wake(box.lane);
  };
  return {
    notify: (method, params) => push('notification', method, { method, params }),
    log: (entry) => push('log', 'notifications/message', entry),
    stats: () => statsOf(box),
    close,
  };
}

function statsOf({ lane, counts }: Box): MailboxStats {
  const { discarded, ...rest } = counts;
  const running = lane.running ? 1 : 0;
  const waiting = lane.items.length - running + lane.held.size;
  return { ...rest, running, waiting, dropped: lane.drops.total + discarded };
}

function account({ settings, counts, closed }: Box, { kind, method }: Item, end: End): void {
  counts[end.type]++;
  if (closed) return;
  if (end.type === 'failed') settings.onFault({ kind, method, reason: 'threw', fault: end.fault });
  if (end.type === 'killed') settings.onFault({ kind, method, reason: end.reason, fault: faultOf(end.reason) });
}

const faultOf = (reason: ConsumerDeath['reason']): Fault => ({ name: 'Killed', message: `the callback was killed (${reason})` });
