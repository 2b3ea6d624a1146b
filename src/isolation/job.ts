/**
 * One callback on its way through the dispatcher: from `run()` to its outcome.
 *
 * Invariant: the outcome settles once; whoever settles first wins, and everything after that is ignored.
 */
import type { RequestId } from '../contract/handler.js';
import type { Reply } from '../contract/messages.js';
import type { Outcome, Settled, Task, Times } from './isolation.js';
import type { Job } from './seat.js';

export function createJob(run: number, task: Task, since: number): Job {
  let resolve!: (settled: Settled) => void;
  const outcome = new Promise<Settled>((settle) => {
    resolve = settle;
  });
  const { requestId = null } = task.context as { readonly requestId?: RequestId };
  return {
    task,
    blame: { run, serverId: task.serverId, requestId, kind: task.kind },
    outcome,
    since,
    started: undefined,
    seat: undefined,
    ended: false,
    calls: undefined,
    callCount: 0,
    lines: 0,
    activeAtFirst: undefined,
    activeBefore: 0,
    turns: 0,
    resolve,
  };
}

/** Settles a job, and ends its host calls with `why`. An outcome belongs to one job: the record is written onto it. */
export function settle(job: Job, outcome: Outcome, now: number, why: string): void {
  if (job.ended) return;
  job.ended = true;
  const started = job.started ?? now;
  const record = outcome as { times?: Times; threadId?: number };
  record.times = { queued: started - job.since, run: now - started };
  record.threadId = job.seat?.threadId ?? 0;
  job.resolve(outcome as Settled);
  if (job.calls !== undefined) for (const call of job.calls.values()) call.abort(new Error(why));
  job.calls = undefined;
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
      case 'skipped':
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
