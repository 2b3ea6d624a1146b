/**
 * What the guards are told about the connection and what they hand on. The guards' front is `guards.ts`:
 * `admit(request, policy)` judges a request before any worker is spent, `release(said, asked)` judges what the callback
 * returned before anything reaches the server.
 */
import type { ElicitationMode, FormFindings, InputKind, JsonObject, Revision, UrlFindings } from '../contract/handler.js';
import type { Limits } from '../options.js';
import type { Form } from './form.js';

export interface GuardPolicy {
  readonly revision: Revision;
  /** The modes that were advertised; empty if elicitation was not. */
  readonly elicitationModes: readonly ElicitationMode[];
  /** `elicitation.origin`, else the HTTP endpoint's origin; null where unknown (behaviour 42). */
  readonly serverOrigin: string | null;
  /** Legacy only: no call and no live task is in flight (behaviour 36). */
  readonly idle: boolean;
  readonly limits: Pick<Limits, 'sampling' | 'elicitation'>;
}

/** A request that may run: what the callback will see, and what its answer will be held against. */
export type Asked =
  | {
      readonly kind: 'sampling';
      readonly params: JsonObject;
      /** Names of the tools an answer may use; null if it may use none. */
      readonly offeredTools: readonly string[] | null;
      readonly revision: Revision;
    }
  | {
      readonly kind: 'form';
      readonly params: JsonObject;
      /** The same params as JSON. */
      readonly json: string;
      /** For `context.elicitation`. */
      readonly findings: FormFindings;
      readonly form: Form;
      readonly applyDefaults: boolean;
    }
  | {
      readonly kind: 'url';
      readonly params: JsonObject;
      /** For `context.elicitation`. */
      readonly findings: UrlFindings;
    }
  | { readonly kind: 'roots' };

/** What came in: the kind, and the params exactly as the server sent them. */
export interface Request {
  readonly kind: InputKind;
  readonly params: unknown;
}
