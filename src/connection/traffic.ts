/**
 * What the tap does with each message: requests of the client are booked and labelled, responses find their call, server
 * requests and notifications go to their rooms, everything else passes untouched.
 */
import { isObject } from '../contract/form.js';
import type { RequestId } from '../contract/handler.js';
import { errorOf, kindOf } from '../era/legacy.js';
import { meta, type Round, readResult, tasksExtension } from '../era/modern.js';
import { legacyTaskIn } from '../era/tasks.js';
import { BulkheadError, codes } from '../errors.js';
import { type Call, type CloseReason, isCallMethod, type Ticket } from './calls.js';
import type { Completions } from './completions.js';
import type { Inbox } from './inbox.js';
import type { Link } from './link.js';
import type { OwnRequests } from './own.js';
import type { ProgressBook } from './progress.js';
import type { Requests } from './requests.js';
import { asBulkheadError } from './rounds.js';
import { createSpell } from './spell.js';
import type { TapEvents } from './tap.js';
import { followTask } from './tasks.js';
import {
  isAnswer,
  isError,
  isId,
  isNotification,
  isRequest,
  isResult,
  metaOf,
  type RpcError,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  type RpcResult,
  type SendOptions,
} from './wire.js';

export interface TrafficRooms {
  readonly link: Link;
  readonly own: OwnRequests;
  readonly requests: Requests;
  readonly completions: Completions;
  readonly progress: ProgressBook;
  readonly inbox: Inbox;
  readonly tasks: Set<string>;
  nextRound(call: Call, round: Round): void;
  /** The call in whose scope the client is sending. */
  ticket(): Ticket | undefined;
  /** The legacy handshake is done. */
  initialized(): void;
}

/** Live legacy tasks that are remembered; the oldest is forgotten first. */
const tasksMost = 1_000;

export function createTraffic(rooms: TrafficRooms): Pick<TapEvents, 'outbound' | 'inbound'> {
  const { link, own, requests, completions, progress, inbox, tasks } = rooms;
  const { calls, session, tap } = link;

  async function outbound(message: RpcMessage, options: SendOptions | undefined): Promise<void> {
    if (isRequest(message)) return sendRequest(message, options);
    if (!isNotification(message)) return tap.send(message, options);
    if (message.method === 'notifications/cancelled') return sendCancelled(message, options);
    await tap.send(message, options);
    if (message.method === 'notifications/initialized') rooms.initialized();
  }

  async function sendRequest(message: RpcRequest, given: SendOptions | undefined): Promise<void> {
    // Given up while it waited for its handler to load.
    given?.requestSignal?.throwIfAborted();
    const ticket = isCallMethod(message.method) ? rooms.ticket() : undefined;
    const request = progress.label(session.outbound(message), ticket);
    const { options, watch } = linkSignal(given);
    const call = calls.open(request, options, ticket);
    watch(call);
    progress.track(call);
    try {
      await tap.send(request, options);
    } catch (error) {
      calls.close(call, 'call ended');
      throw error;
    }
  }

  /** On a stream per request, closing the stream is the cancel: the call hears it, and we can do it too. */
  function linkSignal(given: SendOptions | undefined): { options: SendOptions | undefined; watch(call: Call): void } {
    const theirs = given?.requestSignal;
    if (theirs === undefined) return { options: given, watch: () => {} };
    const controller = new AbortController();
    return {
      options: { ...given, requestSignal: controller.signal },
      watch(call) {
        const abort = (): void => calls.close(call, reasonOf(call));
        theirs.addEventListener('abort', abort, { once: true });
        call.onClose((reason) => {
          theirs.removeEventListener('abort', abort);
          if (reason !== 'ended') controller.abort(theirs.reason);
        });
      },
    };
  }

  /** Names the leg that is live; between two legs nothing is in flight and nothing is sent (behaviour 59). */
  async function sendCancelled(message: RpcNotification, options: SendOptions | undefined): Promise<void> {
    const id = isObject(message.params) ? message.params.requestId : undefined;
    const call = isId(id) ? calls.byClient(id) : undefined;
    if (call === undefined) return tap.send(message, options);
    const leg = call.live;
    calls.close(call, reasonOf(call));
    const reason = call.ticket?.reason;
    const params = { ...message.params, requestId: leg, ...(reason !== undefined && { reason }) };
    if (leg !== undefined) await tap.send({ ...message, params }, options);
  }

  function inbound(message: unknown, extra: unknown, related: RequestId | undefined): void {
    if (isRequest(message)) onRequest(message, extra, related);
    else if (isResult(message) || isError(message)) onResponse(message, extra);
    else if (isAnswer(message)) onNonsense(message, extra);
    else if (isNotification(message)) inbox.receive(message, extra);
    else tap.deliver(message, extra);
  }

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
    tap.send(errorOf(id, { code: codes.methodNotFound, message: 'No capability is negotiated yet' })).catch(() => {});
  }

  function onResponse(message: RpcResult | RpcError, extra: unknown): void {
    if (own.settle(message)) return;
    const call = calls.byWire(message.id);
    if (call !== undefined) return isError(message) ? onError(call, message, extra) : onResult(call, message, extra);
    // Between two legs, or under a later one, the client's own id is not on the wire: an answer to it would end the client's wait alone.
    if (calls.byClient(message.id) !== undefined) link.dropped({ what: 'response', reason: 'out of turn', count: 1 });
    else if (!own.isOwn(message.id)) tap.deliver(message, extra);
  }

  /** Neither a result nor an error: whoever waits for it learns so at once. */
  function onNonsense(message: { readonly id: RequestId }, extra: unknown): void {
    const error = violation('an answer is neither a result nor an error');
    if (own.fail(message.id, error)) return;
    const call = calls.byWire(message.id);
    if (call !== undefined) link.fail(call, error);
    else tap.deliver(message, extra);
  }

  function onError(call: Call, message: RpcError, extra: unknown): void {
    if (call.counts && completions.concerns(message)) void completions.retry(call, message, extra);
    else finish(call, message, extra);
  }

  function onResult(call: Call, message: RpcResult, extra: unknown): void {
    const { request } = call;
    if (metaOf(request.params)?.[meta.version] === undefined) noteTask(call, message);
    else {
      const reading = readResult(request.method, message.result, session.declares(tasksExtension), link.limits.rounds);
      if (reading.type === 'round') return rooms.nextRound(call, reading.round);
      if (reading.type === 'task') return void follow(call, message, extra);
      if (reading.type === 'broken') return link.fail(call, violation(reading.reason));
    }
    const met = session.era !== undefined;
    session.answered(request, message.result);
    if (!met && session.era !== undefined) forgetProbes(call);
    finish(call, message, extra);
  }

  /** The client asked more than once which era it is; now that it knows, a late answer to another of its probes means nothing. */
  function forgetProbes(answered: Call): void {
    for (const call of calls.list())
      if (call !== answered && call.request.method === 'server/discover') calls.close(call, 'ended');
  }

  /** Legacy tasks: alive from the answer that creates one to the first sign of its end (behaviours 13, 29). */
  function noteTask({ request }: Call, { result }: RpcResult): void {
    const task = legacyTaskIn(result);
    // Only a call that asked for a task can get one, and only a poll tells of an older one: anything else is a claim.
    const ours = request.params?.task !== undefined || request.params?.taskId === task?.taskId;
    if (task?.alive === true && ours) remember(task.taskId);
    else if (task?.alive === false) tasks.delete(task.taskId);
    else if (request.method === 'tasks/result') tasks.delete(String(request.params?.taskId));
  }

  function remember(taskId: string): void {
    tasks.delete(taskId);
    tasks.add(taskId);
    const [oldest] = tasks;
    if (tasks.size > tasksMost && oldest !== undefined) tasks.delete(oldest);
  }

  async function follow(call: Call, created: RpcResult, extra: unknown): Promise<void> {
    calls.pause(call);
    const spell = createSpell(link.clock);
    call.onClose((reason) => reason !== 'ended' && spell.end(reason));
    try {
      const { taskId } = created.result;
      if (typeof taskId !== 'string') throw violation('the created task has no taskId');
      const end = await followTask(link, taskId, created.result, call.ticket, spell);
      const { jsonrpc, id } = call.request;
      if (end.type === 'result') finish(call, { jsonrpc, id, result: { resultType: 'complete', ...end.result } }, extra);
      else finish(call, { jsonrpc, id, error: end.error }, extra);
    } catch (error) {
      if (!call.closed) link.fail(call, asBulkheadError(link, error));
    }
  }

  function finish(call: Call, message: RpcResult | RpcError, extra: unknown): void {
    calls.close(call, 'ended');
    tap.deliver({ ...message, id: call.request.id }, extra);
  }

  function violation(reason: string): BulkheadError {
    return new BulkheadError('protocol', `the server broke the protocol: ${reason}`, {
      code: codes.invalidParams,
      serverId: link.serverId,
    });
  }

  return { outbound, inbound };
}

function reasonOf({ ticket }: Call): CloseReason {
  return ticket?.failure?.kind === 'timeout' ? 'timeout' : 'cancelled';
}
