/**
 * Tasks of the 2026-07-28 extension, as the wire shows them (protocol revision 2026-07-28, `io.modelcontextprotocol/tasks`).
 *
 *      working ⇄ input_required ─▶ completed | failed | cancelled
 */
import { isObject } from '../contract/form.js';
import type { JsonObject } from '../contract/handler.js';
import { codes } from '../errors.js';
import { fail, pass, type Verdict } from '../verdict.js';
import { type Bounds, bytesOf, type Entry, readEntries } from './modern.js';

type Snapshot =
  | { readonly status: 'working' }
  | { readonly status: 'input_required'; readonly entries: readonly Entry[] }
  | { readonly status: 'completed'; readonly result: JsonObject }
  | { readonly status: 'failed'; readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | { readonly status: 'cancelled' };

export interface Poll {
  readonly snapshot: Snapshot;
  /** ms until the next poll. */
  readonly interval: number;
}

/** Bounds of `pollIntervalMs` (behaviour 28): a server can neither make us spin nor fall asleep. */
const pollBounds = Object.freeze({
  least: 100,
  usual: 1_000,
  most: 30_000,
});

type Bag = { readonly [key: string]: unknown };

export function readTask(task: Bag, bounds: Bounds): Verdict<Poll> {
  const snapshot = readSnapshot(task, bounds);
  return snapshot.ok ? pass({ snapshot: snapshot.value, interval: intervalOf(task.pollIntervalMs) }) : snapshot;
}

function intervalOf(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) return pollBounds.usual;
  return Math.min(pollBounds.most, Math.max(pollBounds.least, value));
}

function readSnapshot(task: Bag, bounds: Bounds): Verdict<Snapshot> {
  const bad = (reason: string): Verdict<Snapshot> => fail(codes.invalidParams, reason);
  switch (task.status) {
    case 'working':
    case 'cancelled':
      return pass({ status: task.status });
    case 'input_required': {
      const size = bytesOf(task);
      if (size === undefined) return bad('the task is nested too deeply to be read');
      if (size > bounds.bytes) return bad(`the task has ${size} bytes; the limit is ${bounds.bytes}`);
      const entries = readEntries(task.inputRequests, bounds.entries);
      return entries.ok ? pass({ status: 'input_required', entries: entries.value }) : entries;
    }
    case 'completed':
      if (!isObject(task.result)) return bad('a completed task has no result');
      // One that asks would go past the guards, to whatever the client does with it by itself.
      return isFinal(task.result)
        ? pass({ status: 'completed', result: task.result as JsonObject })
        : bad('the result of a completed task is not complete');
    case 'failed': {
      const error = task.error;
      if (!isObject(error) || !Number.isSafeInteger(error.code)) return bad('a failed task has no JSON-RPC error');
      return pass({ status: 'failed', error: { code: error.code as number, message: String(error.message), data: error.data } });
    }
    default:
      return bad('the task has no known status');
  }
}

const isFinal = ({ resultType }: Bag): boolean => resultType === undefined || resultType === 'complete';

const terminal: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);

/** The id of a legacy task that a message shows, and whether it lives: `{ task: {…} }`, a task itself, or a status notice. */
export function legacyTaskIn(value: unknown): { readonly taskId: string; readonly alive: boolean } | undefined {
  if (!isObject(value)) return undefined;
  const task = isObject(value.task) ? value.task : value;
  if (typeof task.taskId !== 'string' || typeof task.status !== 'string') return undefined;
  return { taskId: task.taskId, alive: !terminal.has(task.status) };
}
