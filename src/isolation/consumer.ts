/**
 * The dedicated consumer, main-thread side: one cell whose runner takes notifications in batches, and its replacement when it dies.
 *
 *   loading ──loaded──▶ ready ──killed, died, retired──▶ ending ──heard out──▶ loading
 *                         └ `resumed`, but for the first            └ `died`
 *
 * The next cell loads while the last one is still being heard out: what it announced before its end counts, so that nothing ever
 * begins twice. Invariant: `died` and `resumed` alternate, and nothing is told of items between them.
 */
import type { Clock } from '../clock.js';
import type { Fault } from '../contract/fault.js';
import { type FromLanes, readFromLanes } from '../contract/messages.js';
import type { Consumer, ConsumerDeath, ConsumerEvents } from './isolation.js';
import type { Job } from './job.js';
import type { Opening, SeatEvents } from './opening.js';
import { createProgress, watchedJob } from './progress.js';
import { remember, type Seat } from './seat.js';
import type { Watch } from './watch.js';

export interface ConsumerParts {
  readonly clock: Clock;
  /** Starts a cell with the module as it is now. */
  open(events: SeatEvents, opening: Opening): void;
  end(seat: Seat): void;
  gone(seat: Seat): void;
  /** Resolves when nothing is dying any more. */
  quiet(): Promise<void>;
  /** Too many cells are undead to start one more. */
  full(): boolean;
  /** Host calls, output, late failures; false for what no runner may say. */
  converse(seat: Seat, data: unknown): boolean;
  readonly watch: Pick<Watch, 'add' | 'remove'>;
}

export interface ConsumerCell extends Consumer {
  /** Replaces the worker when what runs has ended, or after {@link patience}: the module was loaded anew, or it is spoiled. */
  retire(): void;
  /** In whose name the watch looks at the worker. */
  readonly watched: Job;
  /** What the watch found. */
  overdone(reason: 'busy' | 'memory'): void;
}

/** How long a killed worker is heard out. Ordinary loops die within 12 ms of being terminated. */
const hearing = 250;
/** How long a worker that is to be replaced may go on with what runs. */
const patience = 10_000;
const firstPause = 100;
const longestPause = 5000;

/** Rejects with the {@link Fault} if the module does not load. */
export function openConsumer(parts: ConsumerParts): Promise<ConsumerCell> {
  return new Promise((resolve, reject) => {
    const consumer: ConsumerCell = createConsumer(parts, () => resolve(consumer), reject);
  });
}

const nobody: ConsumerEvents = { started: () => {}, done: () => {}, died: () => {}, resumed: () => {} };

function createConsumer(parts: ConsumerParts, opened: () => void, failed: (fault: Fault) => void): ConsumerCell {
  const { clock, watch } = parts;
  let phase: 'first' | 'loading' | 'ready' | 'ending' | 'closed' = 'first';
  let listener = nobody;
  /** The cell that items go to. */
  let seat: Seat | undefined;
  /** The one that takes its place. */
  let successor: Seat | undefined;
  let death: ConsumerDeath | undefined;
  let retiring = false;
  /** The module was loaded anew while a cell was opening: that cell is old. */
  let outdated = false;
  /** Cells in a row that ended before anything that ran in them did. */
  let barren = 0;
  const cancel = { pause: () => {}, hearing: () => {}, patience: () => {} };

  const progress = createProgress({
    clock,
    began({ sequence, kind, context: { serverId } }) {
      if (seat !== undefined) remember(seat, { run: sequence, serverId, requestId: null, kind });
      moved();
      listener.started(sequence);
    },
    ended({ sequence }, fault) {
      barren = 0;
      moved();
      listener.done(sequence, fault);
    },
  });
  const watched = watchedJob(progress.busyTimeout);

  /** Busy time counts from here. */
  function moved(): void {
    watched.activeAtFirst = undefined;
    if (progress.pending()) return;
    watch.remove(watched);
    seat?.cell.attend?.(false);
  }

  // ---- starting

  function start(): void {
    const pause = Math.min(longestPause, firstPause * 2 ** (barren - 2));
    if (barren < 2 && !parts.full()) open();
    else cancel.pause = clock.after(Math.max(pause, firstPause), parts.full() ? start : open);
  }

  function open(): void {
    parts.open(seatEvents, {
      started: () => {},
      loaded: (fresh) => (phase === 'closed' || outdated ? turnAway(fresh) : welcome(fresh)),
      failed(broken, fault) {
        if (broken !== undefined) parts.end(broken);
        if (phase === 'first') return failed(fault);
        barren++;
        if (phase !== 'closed') start();
      },
    });
  }

  function turnAway(fresh: Seat): void {
    parts.end(fresh);
    outdated = false;
    if (phase !== 'closed') open();
  }

  function welcome(fresh: Seat): void {
    successor = fresh;
    fresh.others = progress.jobOf;
    if (phase !== 'ending') ready();
  }

  function ready(): void {
    const tell = phase === 'first' ? opened : () => listener.resumed();
    phase = 'ready';
    seat = successor;
    successor = undefined;
    watched.seat = seat;
    tell();
  }

  // ---- hearing

  const seatEvents: SeatEvents = {
    hear(from, data) {
      const message = readFromLanes(data);
      const fair = message === undefined ? parts.converse(from, data) : from === seat && follow(message);
      if (!fair) lose(from, 'flood');
    },
    violated: (from) => lose(from, 'flood'),
    died: (from, { reason }) => lose(from, reason),
    gone(from) {
      parts.gone(from);
      if (from === seat) heardOut();
    },
  };

  function follow(message: FromLanes): boolean {
    if (typeof message === 'number' || message.type !== 'stopped') return progress.hear(message);
    if (retiring) finish({ reason: 'retired', blamed: null });
    return retiring;
  }

  function lose(from: Seat, reason: ConsumerDeath['reason']): void {
    if (phase === 'closed') parts.end(from);
    else if (from === successor) {
      successor = undefined;
      parts.end(from);
      barren++;
      start();
    } else if (from !== seat) parts.end(from);
    else if (phase === 'ending') heardOut();
    else finish({ reason, blamed: progress.alone() });
  }

  // ---- ending

  /** `last` hears what the worker said before it was killed; one that lied, or is gone already, is not listened to. */
  function finish(how: ConsumerDeath, last?: (data: unknown) => void): void {
    const ending = seat;
    if (phase !== 'ready' || ending === undefined) return;
    phase = 'ending';
    death = how;
    retiring = false;
    cancel.patience();
    if (how.reason !== 'retired' && how.reason !== 'closed') barren++;
    for (const run of progress.running()) ending.cell.send({ type: 'abort', run, reason: how.reason });
    start();
    cancel.hearing = clock.after(hearing, heardOut);
    if (last !== undefined) ending.cell.kill(last);
    parts.end(ending);
    if (last === undefined) heardOut();
  }

  function kill(how: ConsumerDeath): void {
    const from = seat;
    finish(how, (data) => from !== undefined && from === seat && seatEvents.hear(from, data));
  }

  function heardOut(): void {
    if (phase !== 'ending' || death === undefined) return;
    phase = 'loading';
    cancel.hearing();
    seat = undefined;
    progress.clear(death.reason);
    watch.remove(watched);
    listener.died(death);
    if (successor !== undefined && phase === 'loading') ready();
  }

  function retire(): void {
    if (successor !== undefined) lose(successor, 'retired');
    else if (phase !== 'ready') outdated = true;
    if (phase !== 'ready' || seat === undefined || retiring) return;
    retiring = true;
    seat.cell.send({ type: 'stop' });
    cancel.patience = clock.after(patience, () => kill({ reason: 'retired', blamed: null }));
  }

  function close(): void {
    phase = 'closed';
    for (const forget of Object.values(cancel)) forget();
    progress.clear('closed');
    watch.remove(watched);
    for (const each of [seat, successor]) if (each !== undefined) parts.end(each);
  }

  open();
  return {
    watched,
    retire,
    async close() {
      close();
      await parts.quiet();
    },
    listen(events) {
      listener = events;
    },
    /** What comes while the worker is ending was never handed over; `died` says so. */
    deliver(items) {
      const { cell } = seat ?? {};
      if (phase !== 'ready' || cell === undefined || retiring) return;
      if (!progress.pending()) cell.attend?.(true);
      watch.add(watched);
      progress.handOver(items, (message) => cell.send(message));
    },
    forget(connectionId) {
      if (progress.forget(connectionId)) seat?.cell.send({ type: 'forget', connection: connectionId });
    },
    abort: (sequence, reason) => seat?.cell.send({ type: 'abort', run: sequence, reason }),
    kill: (reason) => kill({ reason, blamed: null }),
    overdone: (reason) => kill({ reason, blamed: progress.suspect() }),
  };
}
