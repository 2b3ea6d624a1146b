/**
 * URL interactions that end out of band, in revision 2025-11-25: the `-32042` error, whose call is sent again once its URLs were
 * accepted (behaviour 30), and `notifications/elicitation/complete` (behaviour 60).
 *
 * Ids are known per connection, so they never match across servers; unknown and repeated ones are ignored.
 */
import { isObject } from '../contract/form.js';
import type { Entry } from '../era/modern.js';
import { BulkheadError } from '../errors.js';
import { answerEntries } from './asking.js';
import type { Call } from './calls.js';
import { failUnended, finishCall } from './ending.js';
import type { Link } from './link.js';
import { forgetOldest } from './oldest.js';
import { resend } from './rounds.js';
import { createSpell, type Spell } from './spell.js';
import type { RpcError } from './wire.js';

/** The code of "URL elicitation required". */
const urlRequired = -32042;
/** A notice may never come, so a call waits this long for it at most, in ms, and then asks the server once more. */
const noticeWait = 60_000;

export interface Completions {
  /** A URL with this id was put before a person. */
  expect(id: unknown): void;
  /** A completion notice came. False: unknown or repeated, ignore it. */
  completed(id: unknown): boolean;
  /** Whether an error asks for URLs that we can show. If so, `retry` takes the call over. */
  concerns(error: RpcError): boolean;
  /** Never rejects; a failure fails the call, a decline gives it the server's own error. */
  retry(call: Call, error: RpcError, extra: unknown): Promise<void>;
  clear(): void;
}

export function createCompletions(link: Link): Completions {
  /** Asked ids, each with whether it is complete. */
  const known = new Map<string, boolean>();
  const waiting = new Set<() => void>();
  const attempts = new WeakMap<Call, number>();

  function expect(id: unknown): void {
    if (typeof id !== 'string' || known.has(id)) return;
    known.set(id, false);
    forgetOldest(known);
  }

  async function allComplete(ids: readonly string[], spell: Spell): Promise<void> {
    const open = (): boolean => ids.some((id) => known.get(id) === false);
    if (!open()) return;
    const bound = spell.sleep(Math.min(noticeWait, link.limits.handlerTimeout.elicitation));
    bound.catch(() => {}); // the last notice may come first
    while (open()) {
      let wake = (): void => {};
      const notice = new Promise<'notice'>((resolve) => {
        wake = () => resolve('notice');
        waiting.add(wake);
      });
      const first = await Promise.race([notice, bound.then(() => 'bound' as const)]);
      waiting.delete(wake);
      if (first === 'bound') return;
    }
  }

  async function answer(call: Call, error: RpcError, extra: unknown, spell: Spell): Promise<void> {
    const round = (attempts.get(call) ?? 0) + 1;
    attempts.set(call, round);
    const { max } = link.limits.rounds;
    if (round > max)
      throw new BulkheadError('rounds', `the call asked for URLs in more than ${max} rounds`, { serverId: link.serverId });
    const entries = readUrls(link, error);
    const asking = {
      entries,
      method: call.request.method,
      round,
      ticket: call.ticket,
      relatedRequestId: call.request.id,
      inputs: call.inputs,
    };
    const answered = await answerEntries(link, asking, spell);
    if (answered.some(({ value }) => value.action !== 'accept')) return finishCall(link, call, error, extra);
    const open = answered.filter(({ waited }) => !waited).map(({ key }) => key);
    await allComplete(open, spell);
    await resend(link, call, call.request.params);
  }

  return {
    expect,
    completed(id) {
      if (typeof id !== 'string' || known.get(id) !== false) return false;
      known.set(id, true);
      for (const wake of waiting) wake();
      return true;
    },
    concerns({ error }) {
      const { callbacks, elicitationModes } = link.isolation().description;
      return (
        error.code === urlRequired &&
        link.session.revision === '2025-11-25' &&
        callbacks.includes('elicitation') &&
        elicitationModes.includes('url')
      );
    },
    async retry(call, error, extra) {
      link.calls.pause(call);
      const spell = createSpell(link.clock);
      const forget = call.onClose((reason) => spell.end(reason === 'ended' ? 'call ended' : reason));
      call.ticket?.deadline.pause();
      try {
        await answer(call, error, extra, spell);
      } catch (failure) {
        failUnended(link, call, failure);
      } finally {
        call.ticket?.deadline.resume();
        forget();
        spell.end('call ended');
      }
    },
    clear() {
      known.clear();
      waiting.clear();
    },
  };
}

function readUrls(link: Link, { error }: RpcError): readonly Entry[] {
  const listed = isObject(error.data) ? error.data.elicitations : undefined;
  const { entries: most } = link.limits.rounds;
  const bad = (reason: string): BulkheadError =>
    new BulkheadError('protocol', `-32042 refused: ${reason}`, { code: urlRequired, serverId: link.serverId });
  if (!Array.isArray(listed) || listed.length === 0) throw bad('it lists no elicitations');
  if (listed.length > most) throw bad(`it lists ${listed.length} elicitations; the limit is ${most}`);
  const ids = new Set<string>();
  return listed.map((params, at) => {
    const id = isObject(params) && params.mode === 'url' ? params.elicitationId : undefined;
    if (typeof id !== 'string' || ids.has(id)) throw bad(`elicitation ${at} is no URL elicitation with an id of its own`);
    ids.add(id);
    return { key: id, kind: 'elicitation', params };
  });
}
