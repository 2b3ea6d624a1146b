/**
 * One callback on its way through the dispatcher: from `run()` to its outcome.
 *
 * Invariant: the outcome settles once; whoever settles first wins, and everything after that is ignored.
 */
import type { CallbackKind, RequestId } from '../contract/handler.js';
import type { Reply } from '../contract/messages.js';
import type { Outcome, Settled, Task } from './isolation.js';
import type { Seat } from './seat.js';

/** What is remembered of a callback after its end, to blame what it left behind. */
export interface Blame {
  readonly run: number;
  readonly serverId: string;
  readonly requestId: RequestId | null;
  readonly kind: CallbackKind;
}

export interface Job extends Blame {
  readonly task: Task;
  readonly outcome: Promise<Settled>;
  readonly since: number;
  /** When a cell took it; undefined while it waits. */
  started: number | undefined;
  /** The cell that took it. */
  seat: Seat | undefined;
  threadId: number;
  ended: boolean;
  /** Host calls in flight, and how many there were. */
  calls: Map<number, AbortController> | undefined;
  callCount: number;
  /** Lines it printed, as the main thread saw them. */
  lines: number;
  /** The thread's active time when the watch first saw it. */
  activeAtFirst: number | undefined;
  /** The same at the watch's last turn. */
  activeBefore: number;
  resolve(settled: Settled): void;
}

export function createJob(run: number, task: Task, since: number): Job {
  let resolve!: (settled: Settled) => void;
  const outcome = new Promise<Settled>((settle) => {
    resolve = settle;
  });
  const { serverId, kind } = task;
  const requestId = 'requestId' in task.context ? task.context.requestId : null;
  const fresh = { started: undefined, seat: undefined, threadId: 0, ended: false, calls: undefined, callCount: 0, lines: 0 };
  return { run, serverId, requestId, kind, task, outcome, since, ...fresh, activeAtFirst: undefined, activeBefore: 0, resolve };
}

/** Settles a job, and ends its host calls with `why`. False if it had ended before. */
export function settle(job: Job, outcome: Outcome, now: number, why: string): boolean {
  if (job.ended) return false;
  job.ended = true;
  const started = job.started ?? now;
  job.resolve({ ...outcome, times: { queued: started - job.since, run: now - started }, threadId: job.threadId });
  if (job.calls !== undefined) for (const call of job.calls.values()) call.abort(new Error(why));
  job.calls = undefined;
  return true;
}

/** What a checked reply means. Undefined where the reply is none a callback may give. */
export function outcomeOf(reply: Reply): Outcome | undefined {
  try {
    switch (reply.type) {
      case 'returned': {
        const value = reply.json === undefined ? undefined : JSON.parse(reply.json);
        return reply.state === undefined
          ? { type: 'returned', value }
          : { type: 'returned', value, state: { next: JSON.parse(reply.state) } };
      }
      case 'refused':
        return refusedWith(JSON.parse(reply.json));
      case 'crashed': {
        const { reason, fault, path } = reply;
        return path === undefined ? { type: 'crashed', reason, fault } : { type: 'crashed', reason, fault, path };
      }
      case 'loaded':
        return undefined;
    }
  } catch {
    return undefined;
  }
}

function refusedWith({ code, message, data }: { code: number; message: string; data?: never }): Outcome | undefined {
  if (!Number.isSafeInteger(code) || typeof message !== 'string') return undefined;
  return data === undefined ? { type: 'refused', code, message } : { type: 'refused', code, message, data };
}
