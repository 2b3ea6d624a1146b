/**
 * What a guard says: `(value, policy) => Verdict`. A refusal carries the JSON-RPC code for the legacy wire, a reason made of
 * limits and positions (never of what the peer sent), and a JSON Pointer to the spot.
 */
export interface Refused {
  readonly ok: false;
  readonly code: number;
  readonly reason: string;
  /** JSON Pointer into the guarded value, for example `/requestedSchema/properties/age`. */
  readonly path?: string;
}

export type Verdict<T> = { readonly ok: true; readonly value: T } | Refused;

export function pass<T>(value: T): Verdict<T> {
  return { ok: true, value };
}

export function fail(code: number, reason: string, path?: string): Refused {
  return path === undefined ? { ok: false, code, reason } : { ok: false, code, reason, path };
}
