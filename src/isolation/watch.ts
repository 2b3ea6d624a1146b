/**
 * The watch over running callbacks: busy time, and memory.
 *
 * One timer for all of them, armed only while something runs. Busy time is the thread's event-loop activity, read from here, so
 * that a callback which waits for a person is never mistaken for one that spins. Memory is the growth of the resident size less
 * that of the main thread's own heap; two turns in a row over budget kill whoever was most active. Best effort: one large
 * allocation is faster than any watch.
 */
import type { Clock } from '../clock.js';
import type { KillReason } from './isolation.js';
import type { Job } from './seat.js';

/** One turn reads the resident size, about 12 us. */
const period = 10;
/** The same while everybody waits: a form that is open for minutes should not wake the machine a hundred times a second. */
const restingPeriod = 50;
/** Turns in a row in which no thread was active, until the watch rests. */
const quietTurns = 50;
/** Turns after which a job that has not begun, on a thread that is busy all the while, goes elsewhere. */
const patience = 3;

export interface Memory {
  /** Resident bytes of the process. */
  resident(): number;
  /** Bytes of the main thread's own heap and buffers. */
  own(): number;
  /** Bytes that `own` counts already but that are still to come: of threads that have just started. */
  expected?(): number;
}

export interface WatchSettings {
  readonly clock: Clock;
  readonly memoryBudget: number;
  readonly memory?: Memory;
  /** The job has not begun: what a callback before it left behind keeps its thread busy. */
  stuck(job: Job): void;
  /** Whether a debugger holds time still. */
  debugged(): boolean;
  kill(job: Job, reason: Extract<KillReason, 'busy' | 'memory'>): void;
}

export interface Watch {
  add(job: Job): void;
  remove(job: Job): void;
  close(): void;
}

export const processMemory: Memory = {
  resident: () => process.memoryUsage.rss(),
  own() {
    const { heapTotal, external } = process.memoryUsage();
    return heapTotal + external;
  },
};

export function createWatch({ clock, memoryBudget, memory = processMemory, stuck, debugged, kill }: WatchSettings): Watch {
  const running = new Set<Job>();
  /** Killed for memory and not gone yet: what grows on is theirs, and nobody else is killed for it. */
  const ghosts = new Set<Job>();
  let disarm: (() => void) | undefined;
  let base: { readonly resident: number; readonly own: number } | undefined;
  let over = 0;
  let quiet = 0;

  /** The base is read a turn later: whoever starts a callback should not wait for it. */
  function arm(): void {
    base = undefined;
    over = 0;
    disarm = clock.after(period, turn);
  }

  function turnAgain(): void {
    disarm = clock.after(quiet >= quietTurns && over === 0 ? restingPeriod : period, turn);
  }

  function turn(): void {
    disarm = undefined;
    if (running.size === 0) return;
    const mostActive = lookAtThreads();
    base ??= { resident: memory.resident() + (memory.expected?.() ?? 0), own: memory.own() };
    over = grownBeyondBudget(base) ? over + 1 : 0;
    if (over >= 2) killFor(mostActive);
    turnAgain();
  }

  /** Growth that the host's own allocations do not explain. */
  function grownBeyondBudget(from: { readonly resident: number; readonly own: number }): boolean {
    const growth = memory.resident() - from.resident;
    return growth > memoryBudget && growth - Math.max(0, memory.own() - from.own) > memoryBudget;
  }

  function killFor(mostActive: Job | undefined): void {
    over = 0;
    if (mostActive === undefined) return;
    ghosts.add(mostActive);
    kill(mostActive, 'memory');
  }

  /** How active a thread was since the last turn. */
  function activity(job: Job, now: number): number {
    const since = now - job.activeBefore;
    job.activeBefore = now;
    return since;
  }

  function mostActiveGhost(): number {
    let most = -1;
    for (const ghost of ghosts) {
      if (ghost.seat === undefined || ghost.seat.state === 'gone') ghosts.delete(ghost);
      else most = Math.max(most, activity(ghost, ghost.seat.cell.active()));
    }
    // One that stands still takes nothing any more.
    return most < 1 ? -1 : most;
  }

  /** The job had not begun, and now never will where it is. At a breakpoint nobody is stuck. */
  function takenBack({ seat, blame }: Job): boolean {
    return !debugged() && seat?.cell.revoke?.(blame.run) === true;
  }

  /** Kills what was busy too long; says who was most active since the last turn, unless that is one who was killed already. */
  function lookAtThreads(): Job | undefined {
    let most = mostActiveGhost();
    let mostActive: Job | undefined;
    for (const job of [...running]) {
      const now = job.seat?.cell.active() ?? 0;
      if (job.activeAtFirst === undefined) {
        job.activeAtFirst = now;
        job.activeBefore = now;
      }
      if (++job.turns === patience && now - job.activeAtFirst > period && takenBack(job)) {
        stuck(job);
        continue;
      }
      const { busyTimeout } = job.task;
      if (busyTimeout > 0 && now - job.activeAtFirst >= busyTimeout && !debugged()) {
        kill(job, 'busy');
        continue;
      }
      const since = activity(job, now);
      if (since <= most) continue;
      most = since;
      mostActive = job;
    }
    quiet = most < 1 ? quiet + 1 : 0;
    return mostActive;
  }

  return {
    add(job) {
      running.add(job);
      quiet = 0;
      if (disarm === undefined) arm();
    },
    remove: (job) => void running.delete(job),
    close() {
      running.clear();
      ghosts.clear();
      disarm?.();
      disarm = undefined;
    },
  };
}
