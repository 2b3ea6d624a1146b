/**
 * The words of a handler module: what a callback is called with, what it may return, and how it says no.
 *
 * Everything here is loaded inside worker threads, so it imports nothing outside its room. The types are those of the protocol
 * (revisions 2025-06-18, 2025-11-25, 2026-07-28), written for the author of a callback: params arrive guarded, results
 * are checked by the answer guard before anything reaches the server.
 */
import type { ElicitationParams, ElicitationResult, LogEntry, RootsResult, SamplingParams, SamplingResult } from './params.js';
import type { CallbackKind, ElicitationMode, Era, InputKind, Json, JsonObject, RequestId } from './words.js';

export type * from './params.js';
export type * from './words.js';

/** A server's unverified description of itself: for display only. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
}

/** Which entry of a modern `input_required` round is being answered (behaviour 26). */
export interface RoundEntry {
  /** The originating method, for example `tools/call`. */
  readonly method: string;
  /** The server's key for this entry. */
  readonly key: string;
  /** 1 for the first round of a call. */
  readonly round: number;
}

/** What the elicitation guard found out about a form (behaviours 45, 46). */
export interface FormFindings {
  readonly mode: 'form';
  /** Per field: whether its name, title or description speaks of a secret. It flags, it never blocks. */
  readonly fields: { readonly [name: string]: { readonly sensitiveSuspected: boolean } };
  /** Whether unsafe code points were removed from what a person will read. */
  readonly textAltered: boolean;
}

/** What the elicitation guard found out about a URL (behaviour 42). Nothing was fetched, opened or resolved. */
export interface UrlFindings {
  readonly mode: 'url';
  /** Canonical spelling, as the WHATWG parser writes it. */
  readonly url: string;
  /** Exactly what the server sent. */
  readonly rawUrl: string;
  readonly host: string;
  readonly unicodeHost: string;
  /** By the public suffix list, private suffixes included; null for addresses. */
  readonly registrableDomain: string | null;
  /** Whether any label starts with `xn--`. */
  readonly idn: boolean;
  /** Whether a label mixes scripts. */
  readonly mixedScript: boolean;
  /** False only if the URL's origin equals the server's known origin; an unknown one counts as a mismatch. */
  readonly originMismatch: boolean;
  readonly textAltered: boolean;
}

export type ElicitationFindings = FormFindings | UrlFindings;

/** The part of the context that is plain data (behaviour 56). */
export interface ContextData {
  /** The operator's name for this host (`name` option). */
  readonly client: string;
  /** The operator's name for the server, never taken from a payload. */
  readonly serverId: string;
  readonly era: Era;
  /** The call's assigns, else the connection's. */
  readonly assigns: JsonObject;
  /** The call this request is tied to; null where that is unknown, and always in the modern era. */
  readonly relatedRequestId: RequestId | null;
  readonly kind: InputKind;
  /** The server's request id; in the modern era the entry's key. */
  readonly requestId: RequestId;
  /** When the callback will be killed, in epoch milliseconds. */
  readonly deadline: number;
  readonly serverInfo: Implementation | null;
  /** Modern era only. */
  readonly request?: RoundEntry;
  /** Elicitation only. */
  readonly elicitation?: ElicitationFindings;
}

/** What notification and log callbacks know. */
export interface NotificationContextData {
  readonly client: string;
  readonly serverId: string;
  readonly era: Era;
}

/**
 * Services of the host, called by name from a worker. Each takes and returns plain data and runs in the main thread.
 * A service that is not registered rejects with an error that says so.
 */
export type HostServices = { readonly [name: string]: (data?: unknown, options?: HostCallOptions) => Promise<unknown> };

/** A callback may stop waiting for a service before its own deadline: the call rejects, and the service's signal fires. */
export interface HostCallOptions {
  /** In milliseconds; rejects with a `TimeoutError`. */
  readonly timeout?: number;
  /** Rejects with an `AbortError`. */
  readonly signal?: AbortSignal;
}

/**
 * What callbacks see of the services that the host has registered: `ElicitationCallback<ServicesOf<typeof services>>` types
 * `context.host`. It says what an honest handler sends; a service that strangers may call checks its data all the same.
 */
export type ServicesOf<Table> = {
  readonly [name in keyof Table]: Table[name] extends (...args: infer Args) => infer Answer
    ? (
        ...data: Args extends readonly [infer Data, ...unknown[]]
          ? readonly [data: Data, options?: HostCallOptions]
          : readonly [data?: undefined, options?: HostCallOptions]
      ) => Promise<Awaited<Answer>>
    : never;
};

/** A plain value kept per connection in the main thread. `set` takes effect only if the callback succeeds. */
export interface State {
  get(): Json | undefined;
  set(next: Json): void;
}

interface Live<Services> {
  /** Fires when the callback is about to be killed and `killGrace` is above 0. */
  readonly signal: AbortSignal;
  readonly host: Services;
}

export interface CallbackContext<Services = HostServices> extends ContextData, Live<Services> {
  readonly state: State;
}

export interface NotificationContext<Services = HostServices> extends NotificationContextData, Live<Services> {}

// ---- callbacks --------------------------------------------------------------------------------------------------------

type Said<Result> = Result | Refusal | Promise<Result | Refusal>;

export type SamplingCallback<Services = HostServices> = (
  params: SamplingParams,
  context: CallbackContext<Services>,
) => Said<SamplingResult>;
export type ElicitationCallback<Services = HostServices> = (
  params: ElicitationParams,
  context: CallbackContext<Services>,
) => Said<ElicitationResult>;
export type RootsCallback<Services = HostServices> = (context: CallbackContext<Services>) => Said<RootsResult>;
export type NotificationCallback<Services = HostServices> = (
  method: string,
  params: JsonObject | undefined,
  context: NotificationContext<Services>,
) => void | Promise<void>;
export type LogCallback<Services = HostServices> = (
  entry: LogEntry,
  context: NotificationContext<Services>,
) => void | Promise<void>;

/** What a handler module may export. What it exports is what is advertised (behaviour 1). */
export interface HandlerModule<Services = HostServices> {
  readonly elicitationModes?: readonly ElicitationMode[];
  readonly handleSampling?: SamplingCallback<Services>;
  readonly handleElicitation?: ElicitationCallback<Services>;
  readonly listRoots?: RootsCallback<Services>;
  readonly handleNotification?: NotificationCallback<Services>;
  readonly handleLog?: LogCallback<Services>;
}

/** The export that answers each kind. */
export const exportOf: { readonly [kind in CallbackKind]: Exclude<keyof HandlerModule, 'elicitationModes'> } = {
  sampling: 'handleSampling',
  elicitation: 'handleElicitation',
  roots: 'listRoots',
  notification: 'handleNotification',
  log: 'handleLog',
};

// ---- saying no --------------------------------------------------------------------------------------------------------

/** Registered, so that two bundled copies of this file recognise each other's refusals. */
export const refusalMark: unique symbol = Symbol.for('mcp-bulkhead.refusal') as never;

/** A callback's own "no": becomes exactly this JSON-RPC error (behaviour 7). */
export interface Refusal {
  readonly [refusalMark]: true;
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
}

/**
 * Refuses a request with a code, a message and optional data of your own. Throw it or return it.
 *
 * Legacy: the server gets exactly this JSON-RPC error. Modern: a refusal cannot be sent, so the originating call fails with
 * kind `input_handler`. A `code` that is no safe integer, a `message` that is no string, or `data` that is no plain data
 * makes the refusal malformed, which the server sees as `-32603` (behaviour 7).
 */
export function refuse(code: number, message: string, data?: Json): Refusal {
  return data === undefined ? { [refusalMark]: true, code, message } : { [refusalMark]: true, code, message, data };
}

/** Whether a value carries the mark of {@link refuse}. Never throws. */
export function isRefusal(value: unknown): value is Refusal {
  try {
    return typeof value === 'object' && value !== null && (value as { [refusalMark]?: unknown })[refusalMark] === true;
  } catch {
    return false;
  }
}
