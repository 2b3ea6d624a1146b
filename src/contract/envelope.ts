/**
 * Whatever a callback returns or throws, as one envelope: a result, a refusal, or a crash that names the spot.
 */
import { fault, toFault } from './fault.js';
import { isRefusal, type Refusal } from './handler.js';
import type { Reply, RunnerLimits } from './messages.js';
import { encode, type Unplain } from './plain.js';
import { isEncodable } from './unicode.js';

/** `written` is what `context.state.set` was given last, if it was called. */
export function returnedReply(value: unknown, written: { readonly value: unknown } | undefined, limits: RunnerLimits): Reply {
  if (isRefusal(value)) return refused(value, limits);
  const answer = encode(value, limits.bytes);
  if (!answer.ok) return unplain(answer, '');
  if (written === undefined) return { type: 'returned', json: answer.json, state: undefined };
  const state = encode(written.value, limits.bytes);
  return state.ok ? { type: 'returned', json: answer.json, state: state.json } : unplain(state, 'context.state: ');
}

export function thrownReply(thrown: unknown, limits: RunnerLimits): Reply {
  return isRefusal(thrown) ? refused(thrown, limits) : { type: 'crashed', reason: 'threw', fault: toFault(thrown) };
}

/** Behaviour 7: a refusal is exact, or it is malformed. */
function refused(refusal: Refusal, limits: RunnerLimits): Reply {
  try {
    const { code, message, data } = refusal;
    const encoded = encode(data === undefined ? { code, message } : { code, message, data }, limits.bytes);
    const found = encoded.ok ? oddity(JSON.parse(encoded.json ?? '')) : encoded.found;
    if (encoded.ok && found === undefined) return { type: 'refused', json: encoded.json ?? '' };
    return { type: 'crashed', reason: 'refusal', fault: fault('RefusalError', `malformed refusal: ${found}`) };
  } catch (thrown) {
    return { type: 'crashed', reason: 'refusal', fault: toFault(thrown) };
  }
}

function oddity(refusal: { readonly code: unknown; readonly message: unknown }): string | undefined {
  if (!Number.isSafeInteger(refusal.code)) return 'a code that is no integer';
  if (typeof refusal.message !== 'string') return 'a message that is no string';
  return isEncodable(refusal) ? undefined : 'text that is no well-formed Unicode';
}

function unplain({ reason, path, found }: Unplain, what: string): Reply {
  const message = `${what}expected plain data at "${path}", found ${found}`;
  return { type: 'crashed', reason: reason === 'size' ? 'size' : 'result', fault: fault('ResultError', message), path };
}
