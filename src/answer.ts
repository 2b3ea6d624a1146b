/**
 * The life of one input request, in either era. It is handed its rooms and imports none of their insides:
 *
 *     declared? ─▶ within budget? ─▶ guard in ─▶ a cell, until its deadline ─▶ guard out
 *
 * Every step writes its verdict into the request's journal. The connection decides what a verdict becomes on the wire: the legacy
 * era answers, the modern one resends or fails the call.
 */
import type { Clock } from './clock.js';
import type { ContextData, ElicitationFindings, InputKind, Json, JsonObject } from './contract/handler.js';
import { undeclared } from './era/capabilities.js';
import { codes, texts } from './errors.js';
import type { Asked, GuardPolicy, Request } from './guards/policy.js';
import type { Fault, Isolation, KillReason, Outcome, Run } from './isolation/isolation.js';
import type { Journal } from './journal.js';
import type { Limits } from './options.js';
import { fail, type Refused, textOf, type Verdict } from './verdict.js';

export interface Rooms {
  readonly guards: {
    admit(request: Request, policy: GuardPolicy): Verdict<Asked>;
    release(said: unknown, asked: Asked): Verdict<JsonObject>;
  };
  readonly budget: { take(key: string, rate: { perSecond: number; burst: number }): 'taken' | 'refused' | 'full' };
  readonly clock: Clock;
  /** Whether deadlines stand still, since an inspector is attached (`debug`). */
  readonly halted: () => boolean;
}

/** One request as the connection hands it in. */
export interface InputRequest {
  readonly kind: InputKind;
  /** Exactly as the server sent them. */
  readonly params: unknown;
  readonly connectionId: number;
  readonly serverId: string;
  readonly isolation: Isolation;
  readonly policy: GuardPolicy;
  readonly limits: Limits;
  /** Everything of the callback's context but what the guard finds out. `deadline` counts from acceptance. */
  readonly context: Omit<ContextData, 'elicitation'>;
  /** Monotonic ms at which the callback is killed (behaviour 10). */
  readonly expires: number;
  readonly state: { get(): Json | undefined; commit(next: Json): void };
  readonly journal: Journal;
}

/** A refusal before any worker was spent; `data` goes with it on the legacy wire. */
export interface Denial extends Refused {
  readonly data?: JsonObject;
}

export type Said =
  | { readonly type: 'answered'; readonly value: JsonObject; readonly waited: boolean }
  | { readonly type: 'refused'; readonly code: number; readonly message: string; readonly data?: Json }
  | { readonly type: 'failed'; readonly reason: string; readonly fault?: Fault }
  | { readonly type: 'killed'; readonly reason: KillReason }
  | { readonly type: 'busy' }
  | { readonly type: 'closed' };

export interface Running {
  readonly said: Promise<Said>;
  kill(reason: KillReason): void;
}

export interface Answer {
  /** Refuses what was not advertised (behaviour 4). */
  declared(request: InputRequest): Denial | undefined;
  /** Charges the server's budget (behaviours 31, 32). A denial is not in the journal yet: an entry may wait and ask again. */
  spend(request: { kind: InputKind; serverId: string; limits: Limits; journal: Journal }): Denial | undefined;
  admit(request: InputRequest): Verdict<Asked>;
  /** Runs the callback and judges what it says. */
  run(request: InputRequest, asked: Asked): Running;
  /** What a request says whose deadline passed before a callback began. */
  late(request: InputRequest): Said;
}

export function createAnswer(rooms: Rooms): Answer {
  return {
    declared({ kind, isolation, journal }) {
      const refused = undeclared(kind, isolation.description);
      return refused && journal.refused('capability', refused);
    },

    spend({ kind, serverId, limits, journal }) {
      const verdict = rooms.budget.take(serverId, limits.inputRateLimit);
      if (verdict === 'taken') return void journal.passed('budget');
      const code = kind === 'sampling' ? limits.sampling.rejectionCode : codes.busy;
      return { ...fail(code, texts.rate), data: { reason: verdict === 'full' ? 'full' : 'rate' } };
    },

    admit(request) {
      const verdict = rooms.guards.admit({ kind: request.kind, params: request.params }, request.policy);
      if (verdict.ok) request.journal.passed('guard');
      else request.journal.refused('guard', verdict);
      return verdict;
    },

    run(request, asked) {
      const run = request.isolation.run({
        kind: request.kind,
        serverId: request.serverId,
        connectionId: request.connectionId,
        params: asked.kind === 'roots' ? undefined : asked.params,
        json: asked.kind === 'form' ? asked.json : undefined,
        context: contextOf(request, asked),
        state: request.state.get(),
        busyTimeout: request.limits.busyTimeout[request.kind],
        killGrace: request.limits.killGrace,
      });
      const deadline = killAtDeadline(rooms, request, run);
      const said = run.outcome.then((outcome) => {
        deadline.disarm();
        request.journal.ran(outcome.threadId, outcome.times);
        return judge(rooms, request, asked, outcome, deadline.passed());
      });
      return { said, kill: run.kill };
    },

    late(request) {
      request.journal.ended('timeout');
      return timedOutForm(request) ?? { type: 'killed', reason: 'timeout' };
    },
  };
}

/** Added in place, since the context is this request's own: a copy of so many properties costs 2 us. */
function contextOf({ context }: InputRequest, asked: Asked): ContextData {
  if ('findings' in asked) (context as { elicitation?: ElicitationFindings }).elicitation = asked.findings;
  return context;
}

function killAtDeadline({ clock, halted }: Rooms, request: InputRequest, run: Run): { disarm(): void; passed(): boolean } {
  let over = false;
  let disarm = clock.after(request.expires - clock.elapsed(), expire);
  function expire(): void {
    if (halted()) disarm = clock.after(1_000, expire);
    else {
      over = true;
      run.kill('timeout');
    }
  }
  return { disarm: () => disarm(), passed: () => over };
}

/** `late`: its deadline had passed. */
function judge(rooms: Rooms, request: InputRequest, asked: Asked, outcome: Outcome, late: boolean): Said {
  const { journal } = request;
  switch (outcome.type) {
    case 'returned':
      return release(rooms, request, asked, outcome);
    case 'refused':
      journal.ended('refused');
      return outcome;
    case 'crashed':
      journal.ended(outcome.reason, outcome.fault);
      return { type: 'failed', reason: `the callback failed (${outcome.reason})`, fault: outcome.fault };
    case 'killed':
      journal.ended(outcome.reason);
      // A call that runs out of time takes its callbacks with it (behaviour 15); only their own deadline is a form's time-out.
      return (late && outcome.reason === 'timeout' && timedOutForm(request)) || outcome;
    case 'busy':
      journal.ended(outcome.reason);
      return { type: 'busy' };
    case 'closed':
      journal.ended('closed');
      return outcome;
  }
}

/** Behaviour 47: a form that timed out can be answered as cancelled. */
function timedOutForm({ kind, limits }: InputRequest): Said | undefined {
  if (kind !== 'elicitation' || limits.elicitation.onTimeout !== 'cancel') return undefined;
  return { type: 'answered', value: { action: 'cancel' }, waited: false };
}

function release(rooms: Rooms, request: InputRequest, asked: Asked, outcome: Outcome & { type: 'returned' }): Said {
  const { journal } = request;
  journal.passed('callback');
  const { value, waited } = liftCompleted(asked, outcome.value);
  const verdict = rooms.guards.release(value, asked);
  if (!verdict.ok) {
    journal.refused('answer', verdict);
    return { type: 'failed', reason: `the answer was refused: ${textOf(verdict)}` };
  }
  journal.passed('answer', verdict.notes);
  if (outcome.state !== undefined) request.state.commit(outcome.state.next);
  return { type: 'answered', value: verdict.value, waited };
}

/** A URL accept may say `completed: true`: the callback itself waited for the interaction to end (behaviour 30). Never sent. */
function liftCompleted(asked: Asked, value: Json | undefined): { value: Json | undefined; waited: boolean } {
  if (asked.kind !== 'url' || typeof value !== 'object' || value === null || !('completed' in value))
    return { value, waited: false };
  const { completed, ...rest } = value as JsonObject;
  return { value: rest, waited: completed === true };
}
