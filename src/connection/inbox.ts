/**
 * What the server pushes: each notification goes to the part it concerns, then to the mailbox, the subscribers and the client.
 *
 * Log messages are limited before anything else is spent on them (behaviour 52). `cancelled` is handled on arrival and never queues
 * behind callbacks. The handler, the subscribers and the client all get the same sanitised entry (behaviour 54).
 */
import { isObject } from '../contract/form.js';
import type { JsonObject, LogEntry } from '../contract/handler.js';
import type { LogLimit } from '../limits/logs.js';
import type { Mailbox } from '../notifications/mailbox.js';
import { cleanEntry, cleanNotification } from '../sanitise/entry.js';
import { cleanText } from '../sanitise/text.js';
import type { Completions } from './completions.js';
import type { Link } from './link.js';
import type { ProgressBook } from './progress.js';
import type { Requests } from './requests.js';
import { isId, type RpcNotification } from './wire.js';

export interface Inbox {
  receive(message: RpcNotification, extra: unknown): void;
  /** Reports what the log limit has suppressed and not reported yet. */
  close(): void;
}

export interface InboxRooms {
  readonly link: Link;
  readonly requests: Requests;
  readonly completions: Completions;
  readonly progress: ProgressBook;
  readonly logLimit: LogLimit;
  readonly mailbox: Pick<Mailbox, 'notify' | 'log'>;
  onLog(entry: LogEntry): void;
  onNotification(method: string, params: JsonObject | undefined): void;
}

/** Suppressed log entries are reported as one count, so often, in ms. */
const reportEvery = 1_000;

export function createInbox(rooms: InboxRooms): Inbox {
  const { link, requests, completions, progress, logLimit, mailbox } = rooms;
  let reporting: (() => void) | undefined;

  function log(message: RpcNotification, extra: unknown): void {
    if (!logLimit.admit()) {
      reporting ??= link.clock.after(reportEvery, reportSuppressed);
      return;
    }
    const entry = cleanEntry(message.params);
    mailbox.log(entry);
    rooms.onLog(entry);
    link.tap.deliver({ ...message, params: { ...entry } }, extra);
  }

  function reportSuppressed(): void {
    reporting?.();
    reporting = undefined;
    const count = logLimit.suppressed();
    if (count > 0) link.dropped({ what: 'log', reason: 'rate', count });
  }

  function pass(message: RpcNotification, extra: unknown, forClient: boolean): void {
    // A server may call a notification what it likes: a megabyte of it would be kept for each that waits.
    const method = cleanText(message.method);
    const params = cleanNotification(message.params);
    mailbox.notify(method, params);
    rooms.onNotification(method, params);
    if (forClient) link.tap.deliver(message, extra);
  }

  return {
    receive(message, extra) {
      const { method, params } = message;
      switch (method) {
        case 'notifications/message':
          return log(message, extra);
        case 'notifications/cancelled': {
          const id = isObject(params) ? params.requestId : undefined;
          if (!(isId(id) && requests.cancelled(id))) link.tap.deliver(message, extra);
          return;
        }
        case 'notifications/progress':
          return pass(message, extra, !progress.receive(params));
        case 'notifications/elicitation/complete':
          if (completions.completed(isObject(params) ? params.elicitationId : undefined)) pass(message, extra, true);
          return;
        case 'notifications/tasks/status':
          link.tasks.noticed(params);
          return pass(message, extra, true);
        default:
          return pass(message, extra, true);
      }
    },
    close: reportSuppressed,
  };
}
