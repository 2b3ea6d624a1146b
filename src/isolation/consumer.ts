/**
 * The dedicated consumer, main-thread side: one cell whose runner takes notifications in batches, and its replacement when it dies.
 *
 *   loading ──loaded──▶ ready ──killed, died, retired──▶ ending ──heard out──▶ loading
 *                         └ `resumed`, but for the first            └ `died`
 *
 * The next cell loads while the last one is still being heard out: what it announced before its end counts, so that nothing ever
 * begins twice. Invariant: `died` and `resumed` alternate, and nothing is told of items between them.
 */
import { afterSilence, type Clock } from '../clock.js';
import type { Fault } from '../contract/fault.js';
import { type FromLanes, readFromLanes } from '../contract/messages.js';
import { createDeparture } from './departure.js';
import type { Consumer, ConsumerDeath, ConsumerEvents } from './isolation.js';
import type { Opening, SeatEvents } from './opening.js';
import { createProgress, watchedJob } from './progress.js';
import { type Job, remember, type Seat } from './seat.js';
import { createSuccession } from './succession.js';
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
  /** Replaces the worker when what runs has ended: the module was loaded anew, or it is spoiled. */
  retire(): void;
  /** In whose name the watch looks at the worker. */
  readonly watched: Job;
  /** What the watch found. */
  overdone(reason: 'busy' | 'memory'): void;
}

/** How long a killed worker is heard out. Ordinary loops die within 12 ms of being terminated. */
const hearing = 250;

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
  let death: ConsumerDeath | undefined;
  let stopHearing = () => {};

  const progress = createProgress({
    clock,
    began({ sequence, kind, context: { serverId } }) {
      if (seat !== undefined) remember(seat, { run: sequence, serverId, requestId: null, kind });
      moved();
      listener.started(sequence);
    },
    ended({ sequence }, fault) {
      succession.proven();
      moved();
      listener.done(sequence, fault);
      departure.ended();
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

  const succession = createSuccession({
    clock,
    end: parts.end,
    full: parts.full,
    open: (opening) => parts.open(seatEvents, opening),
    arrived(fresh) {
      fresh.others = progress.jobOf;
      if (phase !== 'ending') ready();
    },
    failed(fault) {
      if (phase === 'first') failed(fault);
      return phase !== 'first';
    },
  });

  function ready(): void {
    const tell = phase === 'first' ? opened : () => listener.resumed();
    phase = 'ready';
    seat = succession.take();
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
    const how = departure.stopped();
    if (how !== undefined) finish(how);
    return how !== undefined;
  }

  function lose(from: Seat, reason: ConsumerDeath['reason']): void {
    if (phase === 'closed' || (from !== seat && !succession.lost(from))) parts.end(from);
    else if (from !== seat) return;
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
    departure.callOff();
    if (how.reason !== 'retired' && how.reason !== 'closed') succession.inVain();
    for (const run of progress.running()) ending.cell.send({ type: 'abort', run, reason: how.reason });
    succession.provide();
    stopHearing = afterSilence(clock, hearing, heardOut);
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
    stopHearing();
    seat = undefined;
    progress.clear(death.reason);
    watch.remove(watched);
    listener.died(death);
    if (phase === 'loading' && succession.waits()) ready();
  }

  const departure = createDeparture({
    clock,
    running: progress.running,
    stop: () => seat?.cell.send({ type: 'stop' }),
    end: kill,
  });

  function retire(): void {
    succession.renew();
    if (phase === 'ready') departure.replace();
  }

  function close(): void {
    phase = 'closed';
    stopHearing();
    departure.callOff();
    progress.clear('closed');
    watch.remove(watched);
    succession.close();
    if (seat !== undefined) parts.end(seat);
  }

  succession.provide();
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
      if (phase !== 'ready' || cell === undefined || departure.under) return;
      if (!progress.pending()) cell.attend?.(true);
      watch.add(watched);
      progress.handOver(items, (message) => cell.send(message));
    },
    forget(connectionId) {
      if (progress.forget(connectionId)) seat?.cell.send({ type: 'forget', connection: connectionId });
    },
    abort: (sequence, reason) => seat?.cell.send({ type: 'abort', run: sequence, reason }),
    kill(reason, late) {
      const how = { reason, blamed: null };
      if (late === undefined) kill(how);
      else if (phase === 'ready') departure.expire(how, late);
    },
    overdone: (reason) => kill({ reason, blamed: progress.suspect() }),
  };
}
