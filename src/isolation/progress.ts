/**
 * How far a consumer's worker is with what it was handed: acknowledgements in, events out.
 *
 * Keeps, beside the ledger, a job for each running item that calls host services or prints, and knows who is to blame when
 * the thread is busy. A lie is told apart from an acknowledgement here, and nothing else is decided.
 */
import type { Clock } from '../clock.js';
import type { Fault } from '../contract/fault.js';
import type { FromLanes, ItemsMessage, LaneItem } from '../contract/messages.js';
import type { ConsumerItem } from './isolation.js';
import { createJob, settle } from './job.js';
import { createLedger } from './ledger.js';
import type { Job } from './seat.js';

export interface Progress {
  /** The message that hands these items over. */
  handOver(items: readonly ConsumerItem[], send: (message: ItemsMessage) => void): void;
  /** False for a lie. */
  hear(message: Exclude<FromLanes, { type: 'stopped' }>): boolean;
  /** Whether the runner has to be told to forget this connection. */
  forget(connectionId: number): boolean;
  /** The job of an item that runs. */
  jobOf(run: number): Job | undefined;
  running(): readonly number[];
  /** The item that runs, if no other does. */
  alone(): number | null;
  /** Whom a busy thread is blamed on: the last that began, else whatever runs alone. */
  suspect(): number | null;
  /** For how long the thread may be busy; 0 is for ever. */
  busyTimeout(): number;
  /** Whether anything that was handed over has not ended. */
  pending(): boolean;
  /** The worker is gone. */
  clear(why: string): void;
}

export interface ProgressSettings {
  readonly clock: Clock;
  began(item: ConsumerItem): void;
  ended(item: ConsumerItem, fault: Fault | null): void;
}

export function createProgress({ clock, began, ended }: ProgressSettings): Progress {
  const ledger = createLedger();
  const jobs = new Map<number, Job>();
  let latest: ConsumerItem | undefined;

  function begin(sequence: number): boolean {
    const begun = ledger.begin(sequence);
    if (begun === undefined) return false;
    if (begun.ended !== undefined) tellEnd(begun.ended, null);
    latest = begun.item;
    began(begun.item);
    return true;
  }

  function end(sequence: number, fault: Fault | null): boolean {
    const item = ledger.end(sequence);
    if (item === undefined) return false;
    tellEnd(item, fault);
    return true;
  }

  function suspect(): ConsumerItem | undefined {
    return latest !== undefined && ledger.running.has(latest) ? latest : alone();
  }

  function alone(): ConsumerItem | undefined {
    return ledger.running.size === 1 ? [...ledger.running][0] : undefined;
  }

  /** Where nobody can be blamed the most patient one counts; where nothing runs, what should have begun. */
  function busyTimeout(): number {
    const blamed = suspect() ?? (ledger.running.size === 0 ? ledger.first() : undefined);
    if (blamed !== undefined) return blamed.busyTimeout;
    const limits = [...ledger.running].map((item) => item.busyTimeout);
    return limits.includes(0) ? 0 : Math.max(0, ...limits);
  }

  function tellEnd(item: ConsumerItem, fault: Fault | null): void {
    closeJob(item.sequence, 'the callback has ended');
    ended(item, fault);
  }

  /** Ends its host calls. */
  function closeJob(sequence: number, why: string): void {
    const job = jobs.get(sequence);
    if (job === undefined) return;
    jobs.delete(sequence);
    settle(job, { type: 'closed' }, clock.elapsed(), why);
  }

  return {
    handOver(items, send) {
      const fresh = ledger.add(items);
      const contexts = fresh.map(({ connectionId, context }) => [connectionId, context] as const);
      try {
        send({ type: 'items', items: items.map(laneItem), contexts });
      } catch (error) {
        ledger.withdraw(items, fresh);
        throw error;
      }
    },
    hear(message) {
      if (typeof message === 'number') return message >= 0 ? begin(message) : end(-1 - message, null);
      if (message.type === 'fault') return end(message.run, message.fault);
      return ledger.forgot(message.connection);
    },
    forget: ledger.forget,
    jobOf(run) {
      const item = ledger.runs(run);
      if (item === undefined) return undefined;
      const job = jobs.get(run) ?? createJob(run, taskOf(item), clock.elapsed());
      jobs.set(run, job);
      return job;
    },
    running: () => [...ledger.running].map(({ sequence }) => sequence),
    alone: () => alone()?.sequence ?? null,
    suspect: () => suspect()?.sequence ?? null,
    busyTimeout,
    pending: () => ledger.size > 0,
    clear(why) {
      for (const sequence of [...jobs.keys()]) closeJob(sequence, why);
      ledger.clear();
      latest = undefined;
    },
  };
}

const laneItem = ({ sequence, connectionId, kind, params }: ConsumerItem): LaneItem => ({
  sequence,
  connection: connectionId,
  kind,
  params,
});

function taskOf({ kind, connectionId, params, context, busyTimeout }: ConsumerItem): Job['task'] {
  return { kind, serverId: context.serverId, connectionId, params, context, state: undefined, busyTimeout, killGrace: 0 };
}

/** It stands for the whole worker, so its limit is that of whoever keeps the thread busy now. */
export function watchedJob(busyTimeout: () => number): Job {
  const context = { client: '', serverId: '', era: 'legacy' } as const;
  const rest = { serverId: '', connectionId: -1, params: undefined, context, state: undefined, killGrace: 0 };
  const task: Job['task'] = {
    kind: 'notification',
    ...rest,
    get busyTimeout() {
      return busyTimeout();
    },
  };
  return createJob(0, task, 0);
}
