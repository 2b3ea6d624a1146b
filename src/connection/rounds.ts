/**
 * Modern rounds of one call: the server answers `input_required`, we answer every entry and send the call again under an id of
 * our own, until a result is complete (behaviours 22 to 26).
 *
 *      leg on the wire ──input_required──▶ answering (nothing in flight) ──▶ next leg
 *            └── complete ──▶ delivered under the client's id      └── fails ──▶ the call fails, no leg is sent
 */
import type { JsonObject } from '../contract/handler.js';
import { bytesOf, type Entry, type Round, responsesOf, retryParams } from '../era/modern.js';
import { BulkheadError } from '../errors.js';
import { type Answered, answerEntries } from './asking.js';
import type { Call } from './calls.js';
import { failUnended } from './ending.js';
import type { Link } from './link.js';
import { createSpell, type Spell } from './spell.js';
import { bodyOf, type RpcRequest, sameBody } from './wire.js';

/** How long a round with state alone waits before it goes back, in ms (behaviour 25). */
const statePause = 250;
/** The same question in so many rounds running ends the call (behaviour 25). */
const sameQuestionLimit = 3;

export interface Rounds {
  /** The server asks: answer and send again. Never rejects; a failure fails the call. */
  next(call: Call, round: Round): Promise<void>;
}

interface Streak {
  readonly body: string | undefined;
  readonly count: number;
}

interface Course {
  rounds: number;
  readonly spell: Spell;
  /** How often in a row each key came with the same body. */
  streaks: Map<string, Streak>;
}

export function createRounds(link: Link): Rounds {
  const courses = new WeakMap<Call, Course>();

  function courseOf(call: Call): Course {
    const known = courses.get(call);
    if (known !== undefined) return known;
    const course: Course = { rounds: 0, spell: createSpell(link.clock), streaks: new Map() };
    call.onClose((reason) => course.spell.end(reason === 'ended' ? 'call ended' : reason));
    courses.set(call, course);
    return course;
  }

  async function answer(call: Call, course: Course, round: Round): Promise<void> {
    countRound(link, course, round);
    const answered = await gather(call, course, round);
    const responses = answered === undefined ? undefined : responsesOf(answered);
    if (responses !== undefined) limitBytes(link, responses);
    await resend(link, call, retryParams(call.request.params, responses, round.state));
  }

  async function gather(call: Call, course: Course, { entries }: Round): Promise<readonly Answered[] | undefined> {
    call.ticket?.deadline.pause();
    try {
      if (entries.length === 0) {
        await course.spell.sleep(statePause);
        return undefined;
      }
      const { request, ticket, inputs } = call;
      const asking = { entries, method: request.method, round: course.rounds, ticket, inputs };
      return await answerEntries(link, asking, course.spell);
    } finally {
      call.ticket?.deadline.resume();
    }
  }

  return {
    async next(call, round) {
      link.calls.pause(call);
      const course = courseOf(call);
      try {
        await answer(call, course, round);
      } catch (error) {
        failUnended(link, call, error);
      }
    },
  };
}

function countRound(link: Link, course: Course, { entries }: Round): void {
  const { max } = link.limits.rounds;
  course.rounds++;
  if (course.rounds > max) throw tooMany(link, `the call asked for input in more than ${max} rounds`);
  course.streaks = new Map(entries.map((entry) => [entry.key, streakOf(course.streaks.get(entry.key), entry)]));
  for (const { count } of course.streaks.values())
    if (count >= sameQuestionLimit) throw tooMany(link, `the same question came in ${count} rounds running`);
}

function streakOf(before: Streak | undefined, { kind, params }: Entry): Streak {
  const body = bodyOf({ kind, params });
  return { body, count: before !== undefined && sameBody(before.body, body) ? before.count + 1 : 1 };
}

/** What goes back is bounded like what came (behaviour 25). */
export function limitBytes(link: Link, responses: JsonObject): void {
  const { bytes } = link.limits.rounds;
  const size = bytesOf(responses) ?? Number.POSITIVE_INFINITY;
  if (size > bytes) throw tooMany(link, `the answers of the round have ${size} bytes; the limit is ${bytes}`);
}

function tooMany(link: Link, message: string): BulkheadError {
  return new BulkheadError('rounds', message, { serverId: link.serverId });
}

/** Sends a further leg of a call, with the call's own send options but the one that takes an earlier leg's stream up again. */
export async function resend(link: Link, call: Call, params: RpcRequest['params']): Promise<void> {
  if (call.closed) return;
  const id = link.nextId();
  link.calls.leg(call, id);
  const message: RpcRequest = { jsonrpc: '2.0', id, method: call.request.method, ...(params !== undefined && { params }) };
  const { resumptionToken: _earlier, ...options } = call.options ?? {};
  await link.tap.send(message, options);
}
