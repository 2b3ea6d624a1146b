/**
 * The one error class, and what each kind means.
 *
 * Callers match `kind`. A message gives the limit and what was seen, never what a peer or a callback said; that stays in
 * `cause`, which never leaves the process.
 */
import type { RequestId } from './contract/handler.js';

/** What went wrong, in the words of the public contract. */
export type ErrorKind =
  /** A callback threw, refused, timed out, crashed or answered badly; the modern call that needed it failed. */
  | 'input_handler'
  /** The server broke the protocol. */
  | 'protocol'
  /** The server asked more often than `inputRateLimit` allows. */
  | 'over_budget'
  /** More rounds than `rounds.max`, or the same question again and again. */
  | 'rounds'
  /** A call's `timeout` or `maxTotalTimeout` passed. */
  | 'timeout'
  /** The caller gave the call up. */
  | 'cancelled'
  /** The connection or the bulkhead is closed. */
  | 'closed'
  /** The handler module or plugin could not be loaded. */
  | 'load'
  /** An option or argument is wrong; the message names it, what was expected and what was received. */
  | 'options';

export const errorKinds: readonly ErrorKind[] = Object.freeze([
  'input_handler',
  'protocol',
  'over_budget',
  'rounds',
  'timeout',
  'cancelled',
  'closed',
  'load',
  'options',
] as const);

/**
 * What an error is about. `cause` stays in the process: for a callback that refused it is `{ code, message, data? }`, for one that failed
 * the fault `{ name, message, stack?, … }`, for a request the server answered with an error that JSON-RPC error.
 */
export interface ErrorDetails {
  readonly code?: number | undefined;
  readonly serverId?: string | undefined;
  readonly requestId?: RequestId | undefined;
  readonly cause?: unknown;
}

export class BulkheadError extends Error {
  override readonly name: 'BulkheadError' = 'BulkheadError';
  readonly kind: ErrorKind;
  /** The JSON-RPC code the same failure has on the legacy wire, where there is one. */
  readonly code: number | undefined;
  readonly serverId: string | undefined;
  readonly requestId: RequestId | undefined;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.code = details.code;
    this.serverId = details.serverId;
    this.requestId = details.requestId;
  }
}

/** Whether a value is an error of this package, also across two loaded copies of it. */
export function isBulkheadError(value: unknown): value is BulkheadError {
  return value instanceof Error && value.name === 'BulkheadError' && errorKinds.includes((value as BulkheadError).kind);
}

/** The JSON-RPC codes this package sends (behaviours 4 to 8, 21, 32 and 37). */
export const codes: { readonly [name in 'methodNotFound' | 'invalidParams' | 'internal' | 'busy']: number } = Object.freeze({
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Too busy or over budget; `data.reason` says which. */
  busy: -32000,
});

/** The fixed texts a server may see. Nothing else about a callback ever reaches the wire. */
export const texts: { readonly [name in 'internal' | 'busy' | 'rate']: string } = Object.freeze({
  internal: 'The host could not answer this request',
  busy: 'The host is answering too many requests of this server',
  rate: 'This server is asking more often than the host allows',
});
