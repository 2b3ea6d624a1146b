/**
 * Answers a set of entries: a modern round's, a task's, or the URLs of a `-32042` error (behaviours 24, 25, 28, 30).
 *
 * All or nothing: every entry is checked before the first callback starts, the first failure kills the siblings, and the whole
 * fails with one error. Closing the call kills them all.
 */
import type { InputRequest, Running, Said } from '../answer.js';
import type { JsonObject, RequestId } from '../contract/handler.js';
import type { Entry } from '../era/modern.js';
import { BulkheadError, type ErrorKind } from '../errors.js';
import type { Asked } from '../guards/policy.js';
import type { KillReason } from '../isolation/isolation.js';
import type { InputOutcome } from '../journal.js';
import { type Refused, textOf } from '../verdict.js';
import type { Call, Ticket } from './calls.js';
import { type Link, makeRequest } from './link.js';
import type { Spell } from './spell.js';

export interface Answered {
  readonly key: string;
  readonly value: JsonObject;
  readonly waited: boolean;
}

export interface Asking {
  readonly entries: readonly Entry[];
  /** The method that led to the entries, and which round of it this is. */
  readonly method: string;
  readonly round: number;
  /** Of the call that needs the answers. */
  readonly ticket: Ticket | undefined;
  /** Set where the entries belong to a legacy call (behaviour 30); in the modern era it is null (behaviour 26). */
  readonly relatedRequestId?: RequestId;
  /** The inputs of the call that waits for the entries; none where it is a wait for a task. */
  readonly inputs?: Call['inputs'];
}

/** How long an entry waits before it asks a full pool again, in ms. */
const poolRetry = 25;

export async function answerEntries(link: Link, asking: Asking, spell: Spell): Promise<readonly Answered[]> {
  const requests = asking.entries.map((entry) => requestOf(link, asking, entry));
  const closeRest = (outcome: InputOutcome): void => {
    for (const { journal } of requests) journal.close(outcome);
  };
  try {
    for (const request of requests) refuseUndeclared(link, request);
    let waited = 0;
    for (const request of requests) waited += await charge(link, request, spell);
    const admitted = requests.map((request) => [accepted(request, waited), admit(link, request)] as const);
    return await runAll(link, admitted, spell, asking.inputs);
  } catch (error) {
    closeRest(
      error instanceof BulkheadError && (error.kind === 'protocol' || error.kind === 'over_budget') ? 'refused' : 'cancelled',
    );
    throw error;
  }
}

function requestOf(link: Link, { method, round, ticket, relatedRequestId }: Asking, { key, kind, params }: Entry): InputRequest {
  const entry = relatedRequestId === undefined ? { method, key, round } : undefined;
  return makeRequest(link, { kind, params, requestId: key, relatedRequestId: relatedRequestId ?? null, ticket, entry });
}

function refuseUndeclared(link: Link, request: InputRequest): void {
  const denial = link.answer.declared(request);
  if (denial !== undefined) throw errorOf(link, 'protocol', denial, request);
  request.journal.passed('capability');
}

/**
 * Each entry is charged (behaviour 31); with `whenOver: 'wait'` it waits for a token instead of failing the call. Gives the ms it waited.
 * It takes first and looks afterwards: another thread may take what drips before we do, and then it waits again.
 */
async function charge(link: Link, request: InputRequest, spell: Spell): Promise<number> {
  const { inputRateLimit } = request.limits;
  let began: number | undefined;
  for (;;) {
    const denial = link.answer.spend(request);
    if (denial === undefined) return began === undefined ? 0 : link.clock.elapsed() - began;
    // A full table has no token for this server, ever.
    const wait = inputRateLimit.whenOver === 'wait' ? link.budgetDelay(inputRateLimit) : Number.POSITIVE_INFINITY;
    if (wait === Number.POSITIVE_INFINITY) throw errorOf(link, 'over_budget', request.journal.refused('budget', denial), request);
    began ??= link.clock.elapsed();
    await spell.sleep(Math.max(1, wait));
  }
}

/** Entries that waited for tokens are accepted only now, so their time begins now. */
function accepted(request: InputRequest, waited: number): InputRequest {
  if (waited === 0) return request;
  const deadline = request.context.deadline + waited;
  request.journal.due(deadline);
  return { ...request, context: { ...request.context, deadline }, expires: request.expires + waited };
}

function admit(link: Link, request: InputRequest): Asked {
  const verdict = link.answer.admit(request);
  if (!verdict.ok) throw errorOf(link, 'protocol', verdict, request);
  if (verdict.value.kind === 'url') link.expectCompletion(verdict.value.params.elicitationId);
  return verdict.value;
}

async function runAll(
  link: Link,
  admitted: readonly (readonly [InputRequest, Asked])[],
  spell: Spell,
  inputs: Call['inputs'] = new Set(),
): Promise<readonly Answered[]> {
  const round: RoundRun = { running: new Set(), inputs, failed: undefined };
  const stop = (reason: KillReason): void => {
    round.failed ??= reason;
    for (const running of round.running) running.kill(reason);
  };
  const forget = spell.onEnd(stop);
  try {
    return await Promise.all(
      admitted.map(([request, asked]) =>
        runOne(link, request, asked, spell, round).catch((error: unknown) => {
          stop('sibling failed');
          throw error;
        }),
      ),
    );
  } finally {
    forget();
  }
}

interface RoundRun {
  readonly running: Set<Running>;
  /** The same, where the call is told of them. */
  readonly inputs: Call['inputs'];
  failed: KillReason | undefined;
}

async function runOne(link: Link, request: InputRequest, asked: Asked, spell: Spell, round: RoundRun): Promise<Answered> {
  const free = await slotFor(link, request, spell);
  if (free === undefined) return read(link, request, link.answer.late(request));
  try {
    request.journal.passed('concurrency');
    for (;;) {
      if (round.failed !== undefined) throw unstarted(link, request, round.failed);
      const running = link.answer.run(request, asked);
      for (const book of [round.running, round.inputs]) book.add(running);
      const said = await running.said;
      for (const book of [round.running, round.inputs]) book.delete(running);
      const full = said.type === 'busy' && link.clock.elapsed() < request.expires;
      if (!full) return read(link, request, said);
      await spell.sleep(poolRetry);
    }
  } finally {
    free();
  }
}

function unstarted(link: Link, request: InputRequest, reason: KillReason): BulkheadError {
  request.journal.close('cancelled');
  return settle(link, request, { type: 'killed', reason });
}

/** Its deadline counts while an entry waits in line (behaviour 10); undefined: it passed. */
async function slotFor(link: Link, request: InputRequest, spell: Spell): Promise<(() => void) | undefined> {
  const free = link.slots.take();
  if (free !== undefined) return free;
  return spell.until<(() => void) | undefined>((done) => {
    const place = link.slots.wait();
    const disarm = link.clock.after(request.expires - link.clock.elapsed(), () => {
      place.quit();
      done(undefined);
    });
    const quit = (): void => {
      disarm();
      place.quit();
    };
    void place.taken.then((give) => {
      disarm();
      done(give);
    });
    return quit;
  });
}

function read(link: Link, request: InputRequest, said: Said): Answered {
  if (said.type !== 'answered') throw settle(link, request, said);
  request.journal.close('answered');
  return { key: String(request.context.requestId), value: said.value, waited: said.waited };
}

/** Closes the journal of an entry that got no answer, and says what that does to its call (behaviour 24). */
function settle(link: Link, request: InputRequest, said: Exclude<Said, { type: 'answered' }>): BulkheadError {
  const details = { serverId: link.serverId, requestId: request.context.requestId };
  const what = `${request.kind} callback`;
  switch (said.type) {
    case 'refused':
      request.journal.close('refused', said.code);
      return new BulkheadError('input_handler', `the ${what} refused`, { ...details, code: said.code, cause: refusalOf(said) });
    case 'killed':
      request.journal.close('killed');
      return new BulkheadError('input_handler', `the ${what} was killed: ${said.reason}`, details);
    case 'failed':
      request.journal.close('failed');
      return new BulkheadError('input_handler', `the ${what} gave no answer: ${said.reason}`, { ...details, cause: said.fault });
    case 'busy':
      request.journal.close('refused');
      return new BulkheadError('input_handler', `the ${what} found no free thread in time`, details);
    case 'closed':
      request.journal.close('cancelled');
      return new BulkheadError('closed', 'the bulkhead is closed', details);
  }
}

/** What the callback said, for the caller alone. */
function refusalOf({ code, message, data }: Said & { type: 'refused' }): JsonObject {
  return data === undefined ? { code, message } : { code, message, data };
}

function errorOf(link: Link, kind: ErrorKind, refused: Refused, request: InputRequest): BulkheadError {
  const message = `server request refused (${request.kind}): ${textOf(refused)}`;
  return new BulkheadError(kind, message, { code: refused.code, serverId: link.serverId, requestId: request.context.requestId });
}
