/**
 * The requests of ours that are in flight, and which server requests belong to them (behaviours 11 to 15).
 *
 * A request keeps the id its client waits for; what is on the wire may be a later leg under an id of our own. Each is closed
 * exactly once: `ended` leaves its callbacks running with the context they had, anything else takes them with it.
 */
import type { JsonObject, RequestId } from '../contract/handler.js';
import type { BulkheadError } from '../errors.js';
import type { KillReason } from '../isolation/isolation.js';
import type { Limits } from '../options.js';
import type { CallDeadline } from './deadline.js';
import { keyOf, type Params, type RpcRequest, type SendOptions } from './wire.js';

/** What a caller hears of its call. The server's word, checked for its types. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** What `connection.call` knows about the requests made inside it. */
export interface Ticket {
  readonly assigns: JsonObject | undefined;
  /** Of the callbacks that run for it. */
  readonly handlerTimeout: Limits['handlerTimeout'];
  readonly deadline: CallDeadline;
  readonly meta: Params | undefined;
  readonly onprogress: ((progress: Progress) => void) | undefined;
  readonly resetTimeoutOnProgress: boolean;
  /** Gives the whole call up with this error, which is what its caller gets. */
  abandon(error: BulkheadError): void;
  /** Why the call failed, where we know better than the client. */
  failure: BulkheadError | undefined;
  /** What the server is told of it, in the host's words. */
  reason: string | undefined;
  /** Its requests that are in the books. */
  open: number;
}

/** A callback that dies with its call. */
interface Killable {
  kill(reason: KillReason): void;
}

export type CloseReason = 'ended' | Extract<KillReason, 'timeout' | 'cancelled' | 'call ended' | 'closed'>;

export interface Call {
  readonly request: RpcRequest;
  readonly options: SendOptions | undefined;
  readonly ticket: Ticket | undefined;
  /** Whether it is a "call" in the sense of behaviour 14. */
  readonly counts: boolean;
  /** Monotonic ms. */
  readonly startedAt: number;
  /** The id on the wire now; undefined between two legs. */
  live: RequestId | undefined;
  readonly inputs: Set<Killable>;
  /** Set by {@link Calls.close} alone. */
  closed: boolean;
  readonly listeners: Set<(reason: CloseReason) => void>;
  /** Calls `fn` when the call is closed, or at once if it is. The returned function takes that back. */
  onClose(fn: (reason: CloseReason) => void): () => void;
}

const callMethods: ReadonlySet<string> = new Set([
  'tools/call',
  'resources/read',
  'prompts/get',
  'completion/complete',
  'tasks/get',
  'tasks/result',
]);

export function isCallMethod(method: string): boolean {
  return callMethods.has(method);
}

export interface Calls {
  open(request: RpcRequest, options: SendOptions | undefined, ticket: Ticket | undefined): Call;
  close(call: Call, reason: CloseReason): void;
  /** Puts a further leg on the wire. */
  leg(call: Call, id: RequestId): void;
  /** Between two legs nothing is in flight. */
  pause(call: Call): void;
  /** By the id on the wire. */
  byWire(id: RequestId): Call | undefined;
  /** By the id the client waits for. */
  byClient(id: RequestId): Call | undefined;
  /** The one call in flight, if there is exactly one. */
  only(): Call | undefined;
  /** The call that polls a task or waits for its result. */
  polling(taskId: string): Call | undefined;
  /** How many calls are in flight. */
  readonly count: number;
  /** How many ids are on the wire. */
  readonly wired: number;
  list(): readonly Call[];
}

export function createCalls(now: () => number): Calls {
  const byClient = new Map<string, Call>();
  const byWire = new Map<string, Call>();
  let counted = 0;

  function pause(call: Call): void {
    if (call.live !== undefined) byWire.delete(keyOf(call.live));
    call.live = undefined;
  }

  return {
    open(request, options, ticket) {
      const call: Call = {
        request,
        options,
        ticket,
        counts: isCallMethod(request.method),
        startedAt: now(),
        live: request.id,
        inputs: new Set(),
        closed: false,
        listeners: new Set(),
        onClose(fn) {
          if (call.closed) fn('ended');
          else call.listeners.add(fn);
          return () => call.listeners.delete(fn);
        },
      };
      byClient.set(keyOf(request.id), call);
      byWire.set(keyOf(request.id), call);
      if (call.counts) counted++;
      if (ticket !== undefined) ticket.open++;
      return call;
    },
    close(call, reason) {
      if (call.closed) return;
      call.closed = true;
      pause(call);
      byClient.delete(keyOf(call.request.id));
      if (call.counts) counted--;
      if (call.ticket !== undefined) call.ticket.open--;
      if (reason !== 'ended') for (const input of call.inputs) input.kill(reason);
      call.inputs.clear();
      for (const fn of call.listeners) fn(reason);
      call.listeners.clear();
    },
    leg(call, id) {
      call.live = id;
      byWire.set(keyOf(id), call);
    },
    pause,
    byWire: (id) => byWire.get(keyOf(id)),
    byClient: (id) => byClient.get(keyOf(id)),
    only() {
      if (counted !== 1) return undefined;
      for (const call of byClient.values()) if (call.counts) return call;
      return undefined;
    },
    polling(taskId) {
      for (const call of byClient.values()) if (call.counts && call.request.params?.taskId === taskId) return call;
      return undefined;
    },
    get count() {
      return counted;
    },
    get wired() {
      return byWire.size;
    },
    list: () => [...byClient.values()],
  };
}
