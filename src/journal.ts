/**
 * What happened to one input request: ids, the verdict of each stage, times, outcome. Never a value, never what a peer sent.
 *
 * It feeds `connection.on('input')` and the tracing channel `mcp-bulkhead:input`, whose spans are the requests.
 */
import { tracingChannel } from 'node:diagnostics_channel';
import type { Clock } from './clock.js';
import type { ElicitationMode, Era, InputKind, RequestId, RoundEntry } from './contract/handler.js';
import type { Fault, Times } from './isolation/isolation.js';
import { type Refused, textOf } from './verdict.js';

export const stageNames: readonly Stage[] = Object.freeze([
  'capability',
  'duplicate',
  'concurrency',
  'budget',
  'guard',
  'callback',
  'answer',
] as const);

export type Stage = 'capability' | 'duplicate' | 'concurrency' | 'budget' | 'guard' | 'callback' | 'answer';

/** `pass`, `skipped` (never reached), `refused`, or how the callback ended. */
type StageVerdict = string;

export type InputOutcome = 'answered' | 'refused' | 'failed' | 'killed' | 'cancelled';

/** One record per input request, for `connection.on('input')`. */
export interface InputRecord {
  readonly serverId: string;
  readonly era: Era;
  readonly kind: InputKind;
  readonly mode: ElicitationMode | undefined;
  /** The server's id; in the modern era the entry's key. */
  readonly requestId: RequestId;
  readonly relatedRequestId: RequestId | null;
  /** Modern era only. */
  readonly request: RoundEntry | undefined;
  readonly stages: { readonly [stage in Stage]: StageVerdict };
  readonly outcome: InputOutcome;
  /** The wire code of a refusal or failure. */
  readonly code: number | undefined;
  /** Made of limits and positions. */
  readonly reason: string | undefined;
  readonly notes: readonly string[];
  /** What the callback threw, for the host alone. It may quote anything, so it is no part of the JSON of a record. */
  readonly fault: Fault | undefined;
  /** 0 where no thread was spent. */
  readonly threadId: number;
  /** ms: waiting for a thread, running, and from acceptance to the end. */
  readonly times: { readonly queued: number; readonly run: number; readonly total: number };
  /** When the callback would have been killed, epoch ms (behaviour 10). */
  readonly deadline: number;
}

/** What is known of a request when it comes. */
export type Subject = Pick<
  InputRecord,
  'serverId' | 'era' | 'kind' | 'mode' | 'requestId' | 'relatedRequestId' | 'request' | 'deadline'
>;

export interface Journal {
  passed(stage: Stage, notes?: readonly string[]): void;
  /** Notes a refusal and hands it back. */
  refused<R extends Refused>(stage: Stage, refusal: R): R;
  /** How the callback ended, where it did not answer. */
  ended(how: StageVerdict, fault?: Fault): void;
  ran(threadId: number, times: Times): void;
  /** The deadline moved, since the request was accepted later than it came. */
  due(deadline: number): void;
  /** Closes the journal: once, with the outcome; later calls do nothing. */
  close(outcome: InputOutcome, code?: number): void;
}

/** What subscribers of the tracing channel get: one object per request, `record` once it has ended. */
interface Traced {
  readonly subject: Subject;
  record?: InputRecord;
}

const channel = tracingChannel<string, Traced>('mcp-bulkhead:input');

export function openJournal(subject: Subject, clock: Clock, publish: (record: InputRecord) => void): Journal {
  const began = clock.elapsed();
  const stages = emptyStages();
  const notes: string[] = [];
  let reason: string | undefined;
  let refusedWith: number | undefined;
  let fault: Fault | undefined;
  let { deadline } = subject;
  let thread = 0;
  let times: Times = { queued: 0, run: 0 };
  let open = true;
  const traced: Traced = { subject };
  channel.start.publish(traced);
  channel.end.publish(traced);

  return {
    passed(stage, more) {
      if (!open) return;
      stages[stage] = 'pass';
      if (more !== undefined) notes.push(...more);
    },
    refused(stage, refusal) {
      if (!open) return refusal;
      stages[stage] = 'refused';
      reason = textOf(refusal);
      refusedWith = refusal.code;
      return refusal;
    },
    ended(how, cause) {
      if (!open) return;
      stages.callback = how;
      fault = cause;
    },
    ran(threadId, measured) {
      if (!open) return;
      thread = threadId;
      times = measured;
    },
    due(moved) {
      deadline = moved;
    },
    close(outcome, code = refusedWith) {
      if (!open) return;
      open = false;
      const total = clock.elapsed() - began;
      const { queued, run } = times;
      const ended = { deadline, stages, outcome, code, reason, notes, fault, threadId: thread, times: { queued, run, total } };
      const record = recordOf(subject, ended);
      traced.record = record;
      channel.asyncStart.publish(traced);
      channel.asyncEnd.publish(traced);
      publish(record);
    },
  };
}

function emptyStages(): { [stage in Stage]: StageVerdict } {
  return {
    capability: 'skipped',
    duplicate: 'skipped',
    concurrency: 'skipped',
    budget: 'skipped',
    guard: 'skipped',
    callback: 'skipped',
    answer: 'skipped',
  };
}

/** Spelled out: a spread of so many properties cost 12 us a request. */
function recordOf(subject: Subject, ended: Omit<InputRecord, Exclude<keyof Subject, 'deadline'>>): InputRecord {
  const { serverId, era, kind, mode, requestId, relatedRequestId, request } = subject;
  const { deadline, stages, outcome, code, reason, notes, fault, threadId, times } = ended;
  return hideFault(
    {
      serverId,
      era,
      kind,
      mode,
      requestId,
      relatedRequestId,
      request,
      stages,
      outcome,
      code,
      reason,
      notes,
      threadId,
      times,
      deadline,
    },
    fault,
  );
}

/** A fault is readable but not enumerable, so that logging a record as JSON leaks nothing. */
function hideFault(record: Omit<InputRecord, 'fault'>, fault: Fault | undefined): InputRecord {
  if (fault === undefined) return record as InputRecord;
  return Object.defineProperty(record as InputRecord, 'fault', { value: fault, enumerable: false });
}
