/**
 * Whatever a callback returns or throws, as one envelope: a result, a refusal, or a crash that names the spot.
 */
import { fault, toFault } from './fault.js';
import { isRefusal, type Refusal } from './handler.js';
import type { Reply, RunnerLimits } from './messages.js';
import { encode, type Unplain } from './plain.js';

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
    if (Number.isSafeInteger(code) && typeof message === 'string' && encoded.ok)
      return { type: 'refused', json: encoded.json ?? '' };
    const found = encoded.ok ? 'a code that is no integer, or a message that is no string' : encoded.found;
    return { type: 'crashed', reason: 'refusal', fault: fault('RefusalError', `malformed refusal: ${found}`) };
  } catch (thrown) {
    return { type: 'crashed', reason: 'refusal', fault: toFault(thrown) };
  }
}

function unplain({ reason, path, found }: Unplain, what: string): Reply {
  const message = `${what}expected plain data at "${path}", found ${found}`;
  return { type: 'crashed', reason: reason === 'size' ? 'size' : 'result', fault: fault('ResultError', message), path };
}
