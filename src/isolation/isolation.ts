/**
 * The front of the room in which callbacks run. Whoever asks gets a {@link Run}: a promise of one outcome and a way to kill it.
 * The room owns threads, spares, undead threads, the memory watch, busy time, floods and host calls; it knows nothing of
 * wires, guards, budgets or deadlines (its caller kills at the deadline).
 *
 * Invariant: `outcome` always resolves, exactly once, and never later than `kill()` was called, whatever the thread does.
 */
import type { Description } from '../contract/describe.js';
import type { Fault } from '../contract/fault.js';
import type { CallbackKind, ContextData, Json, NotificationContextData, RequestId } from '../contract/handler.js';
import type { Tier } from '../options.js';

export type { Description } from '../contract/describe.js';
export type { Fault } from '../contract/fault.js';

/** What a service of the host knows about the call beside its data. */
export interface ServiceExtra {
  /** Fires when the callback ended, was killed or gave the call up; an answer after that is dropped. */
  readonly signal: AbortSignal;
  readonly serverId: string;
  /** The server's request, null for notifications and logs. */
  readonly requestId: RequestId | null;
  readonly kind: CallbackKind;
}

/** A method on purpose: so a service may say what data it takes, and the data of one that says nothing is `unknown`. */
interface AnyService {
  serve(data: unknown, extra: ServiceExtra): unknown;
}

/** Services that callbacks call in the main thread as `context.host.name(data)`. Data is plain both ways. */
export type HostServiceTable = { readonly [name: string]: AnyService['serve'] };

/** One callback to run. `params` is structured-cloneable plain data. */
export interface Task {
  readonly kind: CallbackKind;
  readonly serverId: string;
  /** Groups `context.state` and fairness. Unique per connection. */
  readonly connectionId: number;
  /** `handleNotification` gets `{ method, params }`, `handleLog` the entry, `listRoots` undefined. */
  readonly params: unknown;
  /** The same params as JSON, where the caller has them as text: that travels cheaper. */
  readonly json?: string | undefined;
  readonly context: ContextData | NotificationContextData;
  /** The connection's state as `context.state.get()` will give it. */
  readonly state: Json | undefined;
  /** Busy thread time in ms after which the callback is killed; 0 is off (behaviour 16). */
  readonly busyTimeout: number;
  /** How long `context.signal` fires before the thread dies, in ms. */
  readonly killGrace: number;
}

/** Why a run was killed; travels to the host's records and, as text, to `context.signal.reason`. */
export type KillReason = 'timeout' | 'cancelled' | 'call ended' | 'sibling failed' | 'closed' | 'busy' | 'memory' | 'flood';

export interface Times {
  /** ms from `run()` until a cell took the task. */
  readonly queued: number;
  /** ms from then until the outcome. */
  readonly run: number;
}

export type Outcome =
  /** `value` is plain data, parsed from JSON in the main thread. `state` is present if the callback called `state.set`. */
  | { readonly type: 'returned'; readonly value: Json | undefined; readonly state?: { readonly next: Json } }
  /** A well-formed refusal, thrown or returned. */
  | { readonly type: 'refused'; readonly code: number; readonly message: string; readonly data?: Json }
  /** Threw, rejected, exited, ran out of memory, answered something that is no plain data or too large, forged messages. */
  | {
      readonly type: 'crashed';
      readonly reason: CrashReason;
      readonly fault: Fault;
      /** JSON Pointer into the result. */
      readonly path?: string;
    }
  | { readonly type: 'killed'; readonly reason: KillReason }
  /** No cell could be had: the pool is full, this server holds its share, or too many threads are undead. */
  | { readonly type: 'busy'; readonly reason: 'pool' | 'share' | 'undead' }
  | { readonly type: 'closed' };

export type CrashReason = 'threw' | 'refusal' | 'result' | 'size' | 'exit' | 'memory' | 'load' | 'lost';

/** An outcome with its record. */
export type Settled = Outcome & {
  readonly times: Times;
  /** 0 where no thread took it. */
  readonly threadId: number;
};

export interface Run {
  readonly outcome: Promise<Settled>;
  /** Settles `outcome` as killed at once; the thread dies behind it. A second call, or one after the end, does nothing. */
  kill(reason: KillReason): void;
}

/** A late failure of a finished callback, blamed on its own request. */
export interface Stray {
  /** Null where nobody can be blamed: the module itself, or a callback too long ago. */
  readonly serverId: string | null;
  readonly requestId: RequestId | null;
  readonly kind: CallbackKind | null;
  readonly fault: Fault;
}

/** Things that happen outside any outcome. */
export interface IsolationEvents {
  /** A late failure of a finished callback, blamed on its own request (case 105). */
  stray(event: Stray): void;
  /** A line that a callback printed. Never the host's stdout. */
  output(event: { readonly serverId: string | null; readonly stream: 'stdout' | 'stderr'; readonly line: string }): void;
  /** A thread outlived its termination, or at last died. `count` is how many there are now. */
  undead(event: { readonly threadId: number; readonly count: number }): void;
  /** A plugin's process ended without being asked to; `running` of its callbacks went with it. A spare stood ready. */
  crashed?(event: { readonly pid: number; readonly running: number; readonly fault: Fault }): void;
}

export interface IsolationStats {
  readonly tier: Tier;
  readonly cells: number;
  readonly busy: number;
  readonly spares: number;
  readonly undead: number;
  readonly kills: number;
  readonly crashes: number;
  readonly completed: number;
}

export interface Isolation {
  readonly description: Description;
  run(task: Task): Run;
  /** A lane for notifications: tasks run in order, one at a time a connection, on a cell of its own. */
  consumer(): Promise<Consumer>;
  /** Loads the module anew; running callbacks finish on the old one. Rejects with `load` and keeps the old one if it is broken. */
  reload(): Promise<Description>;
  stats(): IsolationStats;
  /** `kill`: at once. `wait`: when what runs has ended. Leaves no thread, port, timer or listener. */
  close(how: 'kill' | 'wait'): Promise<void>;
}

/** One notification or log entry on its way to the consumer's worker. */
export interface ConsumerItem {
  /** Unique in the life of the consumer; an item that is handed over again gets a new one. */
  readonly sequence: number;
  readonly connectionId: number;
  readonly kind: 'notification' | 'log';
  /** `{ method, params }` of a notification, or the log entry. */
  readonly params: unknown;
  readonly context: NotificationContextData;
  /** Busy thread time in ms after which the worker is killed on this item's account; 0 is off (behaviour 16). */
  readonly busyTimeout: number;
}

export interface ConsumerEvents {
  /** `sequence` began to run. */
  started(sequence: number): void;
  /** `sequence` ended; a throw is reported with its fault. */
  done(sequence: number, fault: Fault | null): void;
  /**
   * The worker died. What had started is lost, what had not is not and must be delivered again after `resumed`; everything
   * the worker said before its death has been reported by now.
   */
  died(death: ConsumerDeath): void;
  /** A fresh worker takes items. */
  resumed(): void;
}

export interface ConsumerDeath {
  /** `retired`: nothing was running; a reloaded module, or a worker with a failure of unknown origin, is replaced. */
  readonly reason: KillReason | CrashReason | 'retired';
  /** The item whose fault it was, where that is known. */
  readonly blamed: number | null;
}

/**
 * The dedicated worker behind the mailboxes (behaviour 51). It takes items as soon as `Isolation.consumer()` resolves.
 *
 * What the worker says has been checked when an event fires: per connection, items start and end one after the other in the
 * order of delivery. A worker that says anything else dies of it.
 */
export interface Consumer {
  listen(events: ConsumerEvents): void;
  /** Hands items to the worker, in order; per connection it runs one at a time, connections side by side. Throws if an item cannot be cloned. */
  deliver(items: readonly ConsumerItem[]): void;
  /** A connection has closed: what it has in the worker and has not begun never will, the signal of what runs fires. No events follow. */
  forget(connectionId: number): void;
  /** The signal of a running item fires. */
  abort(sequence: number, reason: KillReason): void;
  /**
   * Kills the worker; `died` and later `resumed` follow. With `late`, the item it is killed for, whatever runs beside it is given a
   * second to end; nothing begins meanwhile.
   */
  kill(reason: KillReason, late?: number): void;
  close(): Promise<void>;
}
