/**
 * What the tap does with a message of the server: responses find their call, requests and notifications go to their rooms,
 * everything else passes untouched.
 */
import type { RequestId } from '../contract/handler.js';
import { errorOf, kindOf } from '../era/legacy.js';
import { meta, readResult, tasksExtension } from '../era/modern.js';
import { codes } from '../errors.js';
import type { Call } from './calls.js';
import type { Completions } from './completions.js';
import { failCall, finishCall, violation } from './ending.js';
import type { Inbox } from './inbox.js';
import type { Link } from './link.js';
import type { OwnRequests } from './own.js';
import type { Requests } from './requests.js';
import type { Rounds } from './rounds.js';
import type { TapEvents } from './tap.js';
import { followCreated } from './tasks.js';
import {
  isAnswer,
  isError,
  isNotification,
  isRequest,
  isResult,
  metaOf,
  type RpcError,
  type RpcRequest,
  type RpcResult,
} from './wire.js';

export interface ReceivingRooms {
  readonly link: Link;
  readonly own: OwnRequests;
  readonly requests: Requests;
  readonly rounds: Rounds;
  readonly completions: Completions;
  readonly inbox: Inbox;
}

export function createReceiving({ link, own, requests, rounds, completions, inbox }: ReceivingRooms): TapEvents['inbound'] {
  const { calls, session, tap } = link;

  function onRequest(message: RpcRequest, extra: unknown, related: RequestId | undefined): void {
    // The modern era has no such channel, so it cannot even be refused (behaviour 27).
    if (session.era === 'modern') return link.dropped({ what: 'request', reason: 'no such channel', count: 1 });
    if (session.era === undefined && kindOf(message.method) !== undefined) return tooEarly(message);
    if (!requests.receive(message, related)) tap.deliver(message, extra);
  }

  /** Nothing is negotiated yet, so nothing may be asked. Only a server that is being initialised can be told so: it is a legacy one. */
  function tooEarly({ id, method }: RpcRequest): void {
    link.dropped({ what: 'request', reason: 'not negotiated', count: 1, method });
    if (!calls.list().some(({ request }) => request.method === 'initialize')) return;
    requests.turnDown(errorOf(id, { code: codes.methodNotFound, message: 'No capability is negotiated yet' }));
  }

  function onResponse(message: RpcResult | RpcError, extra: unknown): void {
    if (own.settle(message)) return;
    const id = meant(message.id);
    const call = calls.byWire(id);
    if (call !== undefined) return isError(message) ? onError(call, message, extra) : onResult(call, message, extra);
    // Between two legs, or under a later one, the client's own id is not on the wire: an answer to it would end the client's wait alone.
    if (calls.byClient(id) !== undefined) link.dropped({ what: 'response', reason: 'out of turn', count: 1 });
    else if (!own.isOwn(message.id)) tap.deliver(message, extra);
  }

  /** The official clients read every id as a number: to them `"5"` answers `5`, so it does here, or a call would end for them alone. */
  function meant(id: RequestId): RequestId {
    if (typeof id === 'number' || calls.byWire(id) !== undefined || calls.byClient(id) !== undefined) return id;
    return calls.byClient(Number(id)) === undefined ? id : Number(id);
  }

  /** Neither a result nor an error, or both: whoever waits for it learns so at once. */
  function onNonsense(message: { readonly id: RequestId }, extra: unknown): void {
    const error = violation(link, 'an answer is neither a result nor an error, or both');
    if (own.fail(message.id, error)) return;
    const call = calls.byWire(meant(message.id));
    if (call !== undefined) failCall(link, call, error);
    else tap.deliver(message, extra);
  }

  function onError(call: Call, message: RpcError, extra: unknown): void {
    if (call.counts && completions.concerns(message)) void completions.retry(call, message, extra);
    else finishCall(link, call, message, extra);
  }

  function onResult(call: Call, message: RpcResult, extra: unknown): void {
    const { request } = call;
    if (session.era === 'legacy' || metaOf(request.params)?.[meta.version] === undefined)
      link.tasks.answered(request, message.result);
    else {
      const reading = readResult(request.method, message.result, session.declares(tasksExtension), link.limits.rounds);
      if (reading.type === 'round') return void rounds.next(call, reading.round);
      if (reading.type === 'task') return void followCreated(link, call, message, extra);
      if (reading.type === 'broken') return failCall(link, call, violation(link, reading.reason));
    }
    const met = session.era !== undefined;
    session.answered(request, message.result);
    if (!met && session.era !== undefined) forgetProbes(call);
    finishCall(link, call, message, extra);
  }

  /** The client asked more than once which era it is; now that it knows, a late answer to another of its probes means nothing. */
  function forgetProbes(answered: Call): void {
    for (const call of calls.list())
      if (call !== answered && call.request.method === 'server/discover') calls.close(call, 'ended');
  }

  return (message, extra, related) => {
    if (isRequest(message)) onRequest(message, extra, related);
    else if (isResult(message) || isError(message)) onResponse(message, extra);
    else if (isAnswer(message)) onNonsense(message, extra);
    else if (isNotification(message)) inbox.receive(message, extra);
    else tap.deliver(message, extra);
  };
}
