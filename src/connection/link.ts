/**
 * What the parts of one connection share: its identity and limits, the wire, the books, and the making of input requests.
 */
import type { Answer, InputRequest } from '../answer.js';
import type { Clock } from '../clock.js';
import type { ElicitationMode, Era, InputKind, Json, JsonObject, RequestId, RoundEntry } from '../contract/handler.js';
import { modesIn } from '../era/capabilities.js';
import type { Isolation } from '../isolation/isolation.js';
import { type InputRecord, type Journal, openJournal } from '../journal.js';
import type { Limits } from '../options.js';
import type { Calls, Ticket } from './calls.js';
import type { LegacyTasks } from './legacy-tasks.js';
import type { Session } from './session.js';
import type { Slots } from './slots.js';
import type { Spell } from './spell.js';
import type { Tap } from './tap.js';
import type { Params } from './wire.js';

/** What was thrown away, and why. */
export interface Dropped {
  readonly what: 'log' | 'notification' | 'request' | 'response';
  readonly reason:
    | 'rate'
    | 'full'
    | 'redelivered'
    | 'duplicate id'
    | 'no such channel'
    | 'not negotiated'
    | 'out of turn'
    | 'unread answers';
  readonly count: number;
  readonly method?: string;
}

export interface Link {
  readonly id: number;
  readonly serverId: string;
  /** The operator's name for the host. */
  readonly client: string;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly assigns: JsonObject;
  readonly serverOrigin: string | null;
  readonly answer: Answer;
  readonly session: Session;
  readonly calls: Calls;
  readonly slots: Slots;
  readonly tap: Tap;
  readonly state: { get(): Json | undefined; commit(next: Json): void };
  isolation(): Isolation;
  /** They count as calls in flight (behaviours 13, 36). */
  readonly tasks: LegacyTasks;
  /** ms until this server's budget has a token; 0 if it has one now. */
  budgetDelay(rate: { readonly perSecond: number; readonly burst: number }): number;
  /** A URL with this id was put before a person (behaviour 60). */
  expectCompletion(id: unknown): void;
  dropped(event: Dropped): void;
  recorded(record: InputRecord): void;
  /**
   * A request of our own, outside the client's books, given up with the spell it belongs to, or after `timeout` ms (the connection's).
   * Resolves with the raw result, rejects with a `BulkheadError`.
   */
  request(
    method: string,
    params: Params | undefined,
    until?: { readonly spell?: Spell; readonly timeout?: number },
  ): Promise<Params>;
  /** Whether a request of our own is open under this id. */
  waits(id: RequestId): boolean;
  /** A fresh id for a request of our own. */
  nextId(): string;
}

/** One question of the server, before anything was checked. */
export interface Question {
  readonly kind: InputKind;
  readonly params: unknown;
  readonly requestId: RequestId;
  readonly relatedRequestId: RequestId | null;
  /** Of the call it belongs to. */
  readonly ticket: Ticket | undefined;
  readonly entry: RoundEntry | undefined;
}

export function makeRequest(link: Link, question: Question): InputRequest {
  const { kind, params, requestId, relatedRequestId, ticket, entry } = question;
  const { clock, limits, session } = link;
  const era: Era = session.era ?? 'legacy';
  const span = (ticket ?? limits).handlerTimeout[kind];
  const deadline = clock.now() + span;
  const journal: Journal = openJournal(
    { serverId: link.serverId, era, kind, mode: modeOf(kind, params), requestId, relatedRequestId, request: entry, deadline },
    clock,
    link.recorded,
  );
  const isolation = link.isolation();
  return {
    kind,
    params,
    connectionId: link.id,
    serverId: link.serverId,
    isolation,
    policy: {
      revision: session.revision,
      elicitationModes: modesIn(session.revision, isolation.description),
      serverOrigin: link.serverOrigin,
      idle: era === 'legacy' && link.calls.count === 0 && link.tasks.size === 0,
      limits: session.revision === '2025-06-18' ? withoutTools(limits) : limits,
    },
    limits,
    context: {
      client: link.client,
      serverId: link.serverId,
      era,
      assigns: ticket?.assigns ?? link.assigns,
      relatedRequestId,
      kind,
      requestId,
      deadline,
      serverInfo: session.serverInfo,
      ...(entry !== undefined && { request: entry }),
    },
    expires: clock.elapsed() + span,
    state: link.state,
    journal,
  };
}

/** Revision 2025-06-18 has no tools in sampling, whatever was offered. */
function withoutTools(limits: Limits): Limits {
  return limits.sampling.tools ? { ...limits, sampling: { ...limits.sampling, tools: false } } : limits;
}

function modeOf(kind: InputKind, params: unknown): ElicitationMode | undefined {
  if (kind !== 'elicitation') return undefined;
  return (params as { mode?: unknown } | null | undefined)?.mode === 'url' ? 'url' : 'form';
}
