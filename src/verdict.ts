/**
 * What a guard says: `(value, policy) => Verdict`. A refusal carries the JSON-RPC code for the legacy wire, a reason made of
 * limits and positions (never of what the peer sent), and a JSON Pointer to the spot.
 */
import { codes } from './errors.js';
import { cleanText } from './sanitise/text.js';

export interface Refused {
  readonly ok: false;
  readonly code: number;
  readonly reason: string;
  /** JSON Pointer into the guarded value, for example `/requestedSchema/properties/age`. */
  readonly path?: string;
}

export interface Passed<T> {
  readonly ok: true;
  readonly value: T;
  /** What was removed on the way, for the host's record: `release` strips, drops and says so. Never values. */
  readonly notes?: readonly string[];
}

export type Verdict<T> = Passed<T> | Refused;

export function pass<T>(value: T, notes: readonly string[] = []): Passed<T> {
  return notes.length === 0 ? { ok: true, value } : { ok: true, value, notes };
}

export function fail(code: number, reason: string, path?: string): Refused {
  return path === undefined ? { ok: false, code, reason } : { ok: false, code, reason, path };
}

/** Graphemes; deeper places have longer paths than anybody follows. */
const maxPath = 1000;

/**
 * The reason with its place: what a record, an error message or the legacy wire says of it. The names of a path are the peer's, and
 * may be on their way to a terminal (behaviour 55).
 */
export function textOf({ reason, path }: Refused): string {
  return path ? `${reason} at ${cleanText(path, maxPath)}` : reason;
}

/** The server asked for something malformed, unsafe or undeclared: `-32602`. */
export function invalidParams(reason: string, path: string): Refused {
  return fail(codes.invalidParams, reason, path);
}

/** The callback answered something that may not be sent: `-32603`, with a fixed text on the wire. */
export function invalidResult(reason: string, path: string): Refused {
  return fail(codes.internal, reason, path);
}
