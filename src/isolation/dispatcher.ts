/**
 * Chooses a cell for every callback, and says what came of it.
 *
 * Refuses at once what it cannot run: a full pool, a server that holds its share, too many undead cells. Invariants: a job's
 * outcome is settled before its cell is touched; a cell runs one job at a time; a cell that was killed, spoiled or retired never
 * runs another.
 */
import { afterSilence, type Clock } from '../clock.js';
import type { Description } from '../contract/describe.js';
import { type Fault, fault } from '../contract/fault.js';
import { type CallTask, readReply, runnerLimits } from '../contract/messages.js';
import type { ThreadSettings } from '../threads.js';
import { createAdmission } from './admission.js';
import type { Carrier } from './cell.js';
import { type Consuming, createConsuming } from './consuming.js';
import { createConversation } from './conversation.js';
import type { HostServiceTable, IsolationEvents, IsolationStats, KillReason, Outcome, Run, Task } from './isolation.js';
import { createJob, outcomeOf, settle } from './job.js';
import { createRack } from './rack.js';
import { blameBefore, type Job, remember, type Seat } from './seat.js';
import { createServices } from './services.js';
import { createSpares } from './spares.js';
import { createUndead } from './undead.js';
import { createWaiting } from './waiting.js';
import { createWatch, type Memory } from './watch.js';

export interface DispatcherSettings {
  readonly carrier: Carrier;
  /** File URL of the handler module, or `plugin:` and the plugin's name. */
  readonly url: string;
  readonly threads: ThreadSettings;
  readonly services: HostServiceTable;
  readonly events: IsolationEvents;
  readonly clock: Clock;
  readonly loadTimeout: number;
  readonly memory?: Memory;
  /** Whether a debugger holds time still. */
  debugged(): boolean;
}

export interface Dispatcher {
  /** Loads the module as it is now, and turns to it. Rejects with a {@link Fault} and changes nothing. */
  load(): Promise<Description>;
  run(task: Task): Run;
  /** Where notifications run. */
  consumer: Consuming['consumer'];
  stats(): IsolationStats;
  close(how: 'kill' | 'wait'): Promise<void>;
}

/** How long a thread has to skip a task that was taken back from it, before it is held to be stuck. */
const lastChance = 1000;
const harmful: readonly KillReason[] = ['busy', 'memory', 'flood', 'closed'];

export function createDispatcher(settings: DispatcherSettings): Dispatcher {
  const { carrier, threads, events, clock, url, loadTimeout } = settings;
  const services = createServices(settings.services, runnerLimits);
  const rack = createRack(threads.scope);
  const undead = createUndead(rack, clock, events);
  const { debugged } = settings;
  const opening = { carrier, url, clock, loadTimeout, debugged, services: services.names };
  const watch = createWatch({
    ...{ ...settings, memoryBudget: threads.memoryBudget, stuck: moveOn },
    kill: (job, reason) => consuming.overdone(job, reason) || kill(job, reason),
  });
  const consuming = createConsuming({
    ...{ opening, clock, events, services, watch, maxUndead: threads.maxUndead },
    version: () => spares.version(),
  });
  const conversation = createConversation(services, events, runnerLimits, {
    retire: (seat) => spares.retire(seat),
    fell: (seat, found) => lose(seat, { type: 'crashed', reason: 'threw', fault: found }),
  });
  const spares = createSpares({
    ...{ threads, clock, rack, undead },
    opening,
    seatEvents: {
      hear: (seat, data) => conversation.hear(seat, data) || violated(seat),
      violated,
      stuck: ({ job }, run) => job?.blame.run === run && moveOn(job),
      died: (seat, { reason, fault: found }) => lose(seat, { type: 'crashed', reason, fault: found }),
    },
    waiting: () => waiting.size,
    ready: drain,
    failed: abandon,
  });
  const admission = createAdmission(threads, rack);
  const totals = { kills: 0, crashes: 0, completed: 0 };
  const waiting = createWaiting();
  let runs = 0;

  // ---- in

  function run(task: Task): Run {
    const job = createJob(++runs, task, clock.elapsed());
    const refused = admission.refusal(task.serverId);
    if (refused === undefined) admit(job);
    else settle(job, refused, job.since, '');
    return { outcome: job.outcome, kill: (reason) => kill(job, reason) };
  }

  function admit(job: Job): void {
    admission.enter(job.task.serverId);
    const seat = rack.pick(job.task.serverId);
    if (seat === undefined) waiting.add(job);
    else start(seat, job, job.since);
    spares.provide();
  }

  function start(seat: Seat, job: Job, now: number): void {
    rack.step(seat, 'taken');
    seat.server = job.task.serverId;
    seat.job = job;
    job.seat = seat;
    job.started = now;
    remember(seat, job.blame);
    watch.add(job);
    const { kind, json, context, state } = job.task;
    const params = json === undefined ? job.task.params : undefined;
    const task: CallTask = { type: 'run', run: job.blame.run, kind, params, json, context, state };
    seat.cell.run(task, (reply) => answered(seat, job, reply));
  }

  /** Cells became free: the first in line go. */
  function drain(): void {
    for (const job of waiting.jobs) {
      const seat = rack.pick(job.task.serverId);
      if (seat === undefined) continue;
      waiting.remove(job);
      start(seat, job, clock.elapsed());
    }
  }

  /**
   * This job has not begun and its thread is busy: it goes to another cell. If the thread then skips it soon, it was only slow; if
   * not, an earlier callback has left something running there.
   */
  function moveOn(job: Job): void {
    const seat = job.seat as Seat;
    const { serverId, requestId, kind } = blameBefore(seat) ?? { serverId: null, requestId: null, kind: null };
    Object.assign(job, { seat: undefined, started: undefined, activeAtFirst: undefined, turns: 0 });
    watch.remove(job);
    seat.job = undefined;
    seat.disarm = afterSilence(clock, lastChance, () => {
      const found = fault('BusyError', 'the thread was still busy after the callback had ended');
      events.stray({ serverId, requestId, kind, fault: found });
      lay(seat);
    });
    waiting.putFirst(job);
    drain();
    spares.provide();
  }

  // ---- out

  function answered(seat: Seat, job: Job, data: unknown): void {
    const reply = readReply(data, runnerLimits);
    const outcome = reply === undefined ? undefined : outcomeOf(reply);
    if (outcome !== undefined && seat.job === job) finish(job, outcome);
    else if (reply?.type !== 'skipped' || seat.job !== undefined) {
      violated(seat);
      return;
    }
    seat.job = undefined;
    seat.disarm();
    spares.giveBack(seat, threads.scope === 'call');
    if (waiting.size > 0) drain();
  }

  /** Settles a job and takes it off every list; the one place where a job ends. */
  function finish(job: Job, outcome: Outcome): void {
    if (job.ended) return;
    settle(job, outcome, clock.elapsed(), outcome.type === 'killed' ? outcome.reason : 'the callback has ended');
    watch.remove(job);
    admission.leave(job.task.serverId);
    totals[outcome.type === 'killed' ? 'kills' : outcome.type === 'crashed' ? 'crashes' : 'completed']++;
  }

  function kill(job: Job, reason: KillReason): void {
    if (job.ended) return;
    finish(job, { type: 'killed', reason });
    if (job.seat === undefined) waiting.remove(job);
    else stop(job.seat, job, reason);
  }

  /** With a grace the callback may still tidy up; if it then ends by itself, its cell lives on. What does harm gets none. */
  function stop(seat: Seat, { blame: { run }, task }: Job, reason: KillReason): void {
    if (task.killGrace === 0 || harmful.includes(reason)) {
      lay(seat);
      return;
    }
    seat.cell.send({ type: 'abort', run, reason });
    seat.disarm = clock.after(task.killGrace, () => lay(seat));
  }

  function lay(seat: Seat): void {
    seat.job = undefined;
    undead.end(seat);
    spares.provide();
  }

  /** A cell ended on its own: its job is over too. */
  function lose(seat: Seat, outcome: Outcome): void {
    if (seat.job !== undefined) finish(seat.job, outcome);
    else spares.retire(seat);
    lay(seat);
  }

  function violated(seat: Seat): void {
    lose(seat, { type: 'killed', reason: 'flood' });
  }

  /** No cell can be had: those who wait are told why. */
  function abandon(found: Fault): void {
    for (const job of waiting.clear()) finish(job, { type: 'crashed', reason: 'load', fault: found });
  }

  // ---- the whole

  return {
    async load() {
      const description = await spares.load();
      consuming.retire();
      return description;
    },
    run,
    consumer: consuming.consumer,
    stats() {
      const { starting, free, busy } = rack.counts;
      return { tier: carrier.tier, cells: starting + free + busy, busy, spares: free, undead: rack.counts.undead, ...totals };
    },
    async close(how) {
      const ended = admission.close();
      if (how === 'wait') await ended;
      for (const job of waiting.clear()) finish(job, { type: 'closed' });
      for (const { job } of rack.seats) if (job !== undefined) finish(job, { type: 'killed', reason: 'closed' });
      watch.close();
      spares.close();
      await consuming.close();
      await undead.quiet();
      await carrier.close();
    },
  };
}
