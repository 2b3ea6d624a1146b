/**
 * The conversation with whatever runs callbacks: everything that goes in, everything that comes out, whoever carries it (a
 * thread, a compartment, a child process, or the main thread itself).
 *
 * A task goes in and gets one {@link Reply}. Beside that, one lasting port carries {@link FromRunner} and {@link ToRunner}.
 * What comes out is never believed: the `read…` guards here check every field before the main thread looks at it, and a
 * message they do not know ends the cell.
 */
import { type Description, isDescription } from './describe.js';
import type { Fault } from './fault.js';
import type { CallbackKind, ContextData, Json, NotificationContextData } from './handler.js';
import { encode, nestsTooDeep, overflows } from './plain.js';

/** Caps that the runner keeps and the main thread counts. */
export interface RunnerLimits {
  /** Largest answer and state, and largest message of a host call either way, in bytes of JSON (behaviour 8). */
  readonly bytes: number;
  /** Host calls of one callback in flight at once, and altogether. */
  readonly callsAtOnce: number;
  readonly calls: number;
  /** Lines one callback may print, and the characters kept of each. */
  readonly lines: number;
  readonly lineLength: number;
  /** Late failures that a thread reports. */
  readonly strays: number;
  /** What a cell may say between two callbacks that belongs to none that runs: crossed messages, and what was left behind. */
  readonly late: number;
}

export const runnerLimits: RunnerLimits = Object.freeze({
  bytes: 2 ** 20,
  callsAtOnce: 64,
  calls: 1000,
  lines: 100,
  lineLength: 4096,
  strays: 100,
  late: 2000,
});

// ---- in ---------------------------------------------------------------------------------------------------------------

/** Loads the module; the first task of every cell. */
export interface LoadTask {
  readonly type: 'load';
  /** File URL of the module; `plugin:` and its name where the thread was started with a plugin's text. */
  readonly url: string;
  readonly services: readonly string[];
  /** Counts reloads. */
  readonly version: number;
  readonly limits: RunnerLimits;
  /** One shared word through which main thread and runner agree on who has a task; see `claim.ts`. */
  readonly claim?: Int32Array;
}

/** Runs one callback. */
export interface CallTask {
  readonly type: 'run';
  /** Counts the runs of one isolation; blames what happens later. */
  readonly run: number;
  readonly kind: CallbackKind;
  readonly params: unknown;
  /** The params as JSON, where the host has them as text: that costs half of a structured clone. `params` is then left out. */
  readonly json?: string | undefined;
  readonly context: ContextData | NotificationContextData;
  readonly state: Json | undefined;
}

export type RunnerTask = LoadTask | CallTask;

/** To the runner, over the port. */
export type ToRunner =
  | { readonly type: 'answer'; readonly call: number; readonly json: string | undefined }
  | { readonly type: 'failed'; readonly call: number; readonly name: string; readonly message: string }
  /** `context.signal` of this run fires; the kill follows after the grace. */
  | { readonly type: 'abort'; readonly run: number; readonly reason: string }
  | ToLanes;

/** To the runner of a consumer. */
export type ToLanes =
  | ItemsMessage
  /** What this connection has waiting never runs; answered by `forgot`. */
  | { readonly type: 'forget'; readonly connection: number }
  /** Nothing more begins; answered by `stopped` when nothing runs. */
  | { readonly type: 'stop' };

/** A batch of notifications, to run in order and one at a time per connection. */
export interface ItemsMessage {
  readonly type: 'items';
  readonly items: readonly LaneItem[];
  /** Of connections that are new to this runner; each context is sent once. */
  readonly contexts: readonly (readonly [connection: number, context: NotificationContextData])[];
}

export interface LaneItem {
  readonly sequence: number;
  readonly connection: number;
  readonly kind: 'notification' | 'log';
  readonly params: unknown;
}

// ---- out --------------------------------------------------------------------------------------------------------------

/** Why a callback failed by its own doing, as far as the runner can tell. */
type RunnerReason = 'threw' | 'refusal' | 'result' | 'size' | 'load';

/** What one task comes to. */
export type Reply =
  | { readonly type: 'loaded'; readonly description: Description }
  | { readonly type: 'returned'; readonly json: string | undefined; readonly state: string | undefined }
  /** The task had been taken back before it began. */
  | { readonly type: 'skipped' }
  /** JSON of `{ code, message, data? }`. */
  | { readonly type: 'refused'; readonly json: string }
  | { readonly type: 'crashed'; readonly reason: RunnerReason; readonly fault: Fault; readonly path?: string };

/** From the runner, over the port. `run` is null where no callback can be blamed. */
export type FromRunner =
  | {
      readonly type: 'call';
      readonly run: number;
      readonly call: number;
      readonly name: string;
      readonly json: string | undefined;
    }
  /** The callback waits for this call no longer. */
  | { readonly type: 'drop'; readonly run: number; readonly call: number }
  | { readonly type: 'output'; readonly run: number | null; readonly stream: 'stdout' | 'stderr'; readonly line: string }
  /** The callback that is running failed outside its own promise: a throw in one of its timers. It may go on, so the cell ends. */
  | { readonly type: 'fell'; readonly run: number; readonly fault: Fault }
  /** Something failed that a finished callback had left behind. */
  | { readonly type: 'stray'; readonly run: number | null; readonly fault: Fault };

/** From the runner of a consumer: how far it is. */
export type FromLanes =
  | Progress
  | { readonly type: 'fault'; readonly run: number; readonly fault: Fault }
  | { readonly type: 'forgot'; readonly connection: number }
  | { readonly type: 'stopped' };

/**
 * A sequence number: this item begins, and the one before it on its connection, if it has not ended yet, has ended well. Or
 * {@link endedWell} of it. Numbers, since two objects an item would cost the main thread three times as much.
 */
export type Progress = number;

export const endedWell = (sequence: number): Progress => -1 - sequence;

/** A reply as it travels. What most callbacks come to goes as bare text, since reading the object around it costs the main thread 4 us. */
export function packReply(reply: Reply): Reply | string {
  return reply.type === 'returned' && reply.state === undefined && reply.json !== undefined ? reply.json : reply;
}

// ---- guards -----------------------------------------------------------------------------------------------------------

type Fields = { readonly [key: string]: unknown };

const reasons: readonly unknown[] = ['threw', 'refusal', 'result', 'size', 'load'] satisfies RunnerReason[];

export function readReply(value: unknown, limits: RunnerLimits): Reply | undefined {
  if (typeof value === 'string') return readReply({ type: 'returned', json: value, state: undefined }, limits);
  const fields = fieldsOf(value);
  switch (fields?.type) {
    case 'returned':
      return isJson(fields.json, limits.bytes) && isJson(fields.state, limits.bytes) ? (fields as Reply) : undefined;
    case 'skipped':
      return fields as Reply;
    case 'refused':
      return fields.json !== undefined && isJson(fields.json, limits.bytes) ? (fields as Reply) : undefined;
    case 'crashed':
      return isCrash(fields) ? (fields as Reply) : undefined;
    case 'loaded':
      return isDescription(fields.description) ? (fields as Reply) : undefined;
    default:
      return undefined;
  }
}

export function readFromRunner(value: unknown, limits: RunnerLimits): FromRunner | undefined {
  const fields = fieldsOf(value);
  switch (fields?.type) {
    case 'call':
      return isId(fields.run) && isId(fields.call) && isShort(fields.name, 1000) && isJson(fields.json, limits.bytes)
        ? (fields as FromRunner)
        : undefined;
    case 'drop':
      return isId(fields.run) && isId(fields.call) ? (fields as FromRunner) : undefined;
    case 'output':
      return isBlame(fields.run) && isStream(fields.stream) && isShort(fields.line, limits.lineLength + 100)
        ? (fields as FromRunner)
        : undefined;
    case 'fell':
      return isId(fields.run) && isFault(fields.fault) ? (fields as FromRunner) : undefined;
    case 'stray':
      return isBlame(fields.run) && isFault(fields.fault) ? (fields as FromRunner) : undefined;
    default:
      return undefined;
  }
}

export function readFromLanes(value: unknown): FromLanes | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  const fields = fieldsOf(value);
  switch (fields?.type) {
    case 'fault':
      return isId(fields.run) && isFault(fields.fault) ? (fields as FromLanes) : undefined;
    case 'forgot':
      return isId(fields.connection) ? (fields as FromLanes) : undefined;
    case 'stopped':
      return fields as FromLanes;
    default:
      return undefined;
  }
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
}

const isId = (value: unknown): boolean => Number.isSafeInteger(value);
const isBlame = (value: unknown): boolean => value === null || isId(value);
const isShort = (value: unknown, max: number): boolean => typeof value === 'string' && value.length <= max;
const isStream = (value: unknown): boolean => value === 'stdout' || value === 'stderr';
/** Bytes of UTF-8 and levels, as the runner counts them. */
const isJson = (value: unknown, bytes: number): boolean =>
  value === undefined || (typeof value === 'string' && !overflows(value, bytes) && !nestsTooDeep(value));
const isText = (value: unknown, max: number): boolean => value === undefined || isShort(value, max);

function isCrash(fields: Fields): boolean {
  return reasons.includes(fields.reason) && isFault(fields.fault) && isText(fields.path, 1_000_000);
}

/** Plain data throughout: the host may well write it down as JSON. */
export function isFault(value: unknown): value is Fault {
  const { data, ...own } = fieldsOf(value) ?? {};
  const texts = isShort(own.name, 1000) && isShort(own.message, 100_000) && isText(own.stack, 100_000);
  return texts && encode(own, runnerLimits.bytes).ok && encode(data, runnerLimits.bytes).ok;
}
