/** What a host sees of a connection. Errors are `BulkheadError`s unless the client's own error says more. */
import type {
  CallToolRequest,
  CallToolResult,
  GetPromptRequest,
  GetPromptResult,
  ReadResourceRequest,
  ReadResourceResult,
} from '@modelcontextprotocol/client';
import type { Era, JsonObject, LogEntry, RequestId } from '../contract/handler.js';
import type { Stray } from '../isolation/isolation.js';
import type { InputOutcome, InputRecord } from '../journal.js';
import type { MailboxFault, MailboxStats } from '../notifications/mailbox.js';
import type { CallOptions, ClientCallOptions } from './caller.js';
import type { Dropped } from './link.js';
import type { Params } from './wire.js';

export type ConnectionEvents = {
  /** Every notification but `message` and `cancelled`, sanitised. */
  notification: readonly [method: string, params: JsonObject | undefined];
  /** Log messages within the limit, sanitised. */
  log: readonly [entry: LogEntry];
  /** One record per input request, when it has ended. */
  input: readonly [record: InputRecord];
  /** Something was thrown away: counted, never silent. */
  dropped: readonly [event: Dropped];
  stray: readonly [event: Stray];
  /** A notification or log callback threw or was killed. */
  fault: readonly [event: MailboxFault];
  /** The session on the transport ended. */
  close: readonly [];
};

/** The official client (2.x, or of sdk 1.x), or one that looks like it. */
export interface ClientLike {
  callTool(...args: never[]): Promise<unknown>;
  readResource(...args: never[]): Promise<unknown>;
  getPrompt(...args: never[]): Promise<unknown>;
  close(): Promise<void>;
}

export function isClient(value: unknown): value is ClientLike {
  const { callTool, readResource, getPrompt, close } = (value ?? {}) as { [member: string]: unknown };
  return [callTool, readResource, getPrompt, close].every((method) => typeof method === 'function');
}

export interface PendingCall {
  readonly id: RequestId;
  readonly method: string;
  /** ms since it was sent. */
  readonly age: number;
  /** Callbacks that run on its behalf and die with it. */
  readonly inputs: number;
}

export interface ConnectionStats {
  readonly era: Era | undefined;
  /** Requests of ours in flight. */
  readonly calls: number;
  /** Input requests that hold a slot now. */
  readonly running: number;
  /** Input requests so far, by outcome. */
  readonly outcomes: { readonly [outcome in InputOutcome]: number };
  /** Thrown away so far, by what it was. */
  readonly dropped: { readonly [what in Dropped['what']]: number };
  /** Entries in the books that nothing else here counts; each is 0 when nothing is in flight. */
  readonly books: {
    /** Ids of ours on the wire. */
    readonly wire: number;
    /** Requests of our own: pings, polls of tasks. */
    readonly own: number;
    /** Progress tokens. */
    readonly tokens: number;
    /** Entries of modern rounds that wait for a slot. */
    readonly waiting: number;
    /** Legacy tasks that live. */
    readonly tasks: number;
  };
  /** Undefined while no session is open. */
  readonly notifications: MailboxStats | undefined;
}

/** `C` is the client: the official one behind `connect`, whatever was given to `attach`. */
export interface Connection<C extends ClientLike | undefined = ClientLike | undefined> extends AsyncDisposable {
  /** The operator's name for the server. */
  readonly serverId: string;
  /** Undefined if `attach` was not given one. */
  readonly client: C;
  /** Learned from the wire; undefined before the handshake. */
  readonly era: Era | undefined;
  /** Subscribes; the returned function unsubscribes. */
  on<Name extends keyof ConnectionEvents>(name: Name, listener: (...args: ConnectionEvents[Name]) => void): () => void;
  /**
   * Runs `fn` as one call with our clocks, `assigns` and fate (behaviours 11 to 15): hand the options it gets to a method of the
   * client. Rejects with kind `timeout`, `cancelled`, `closed`, `input_handler`, `protocol`, `over_budget` or `rounds` where we know
   * what happened, `options` for a wrong option, else with the client's own error.
   */
  call<T>(fn: (options: ClientCallOptions) => Promise<T>, options?: CallOptions): Promise<T>;
  /** `client.callTool` as a {@link call}. */
  callTool(params: CallToolRequest['params'], options?: CallOptions): Promise<CallToolResult>;
  /** `client.readResource` as a {@link call}. */
  readResource(params: ReadResourceRequest['params'], options?: CallOptions): Promise<ReadResourceResult>;
  /** `client.getPrompt` as a {@link call}. */
  getPrompt(params: GetPromptRequest['params'], options?: CallOptions): Promise<GetPromptResult>;
  /** Follows a modern task to its end and gives what its call would have given (behaviour 28). */
  awaitTask(taskId: string, options?: CallOptions): Promise<JsonObject>;
  /** Sends `tasks/cancel` for a modern task; the server may still finish it. */
  cancelTask(taskId: string): Promise<void>;
  /** The requests in flight, whoever made them on this transport. */
  pendingCalls(): readonly PendingCall[];
  /**
   * Gives a pending call up: the server is told, its callbacks die, its caller gets `cancelled`. False: no such call. Throws `options`
   * for `initialize`, which cannot be cancelled (behaviour 59).
   */
  cancel(id: RequestId, reason?: string): boolean;
  /** Resolves with the round trip in ms: legacy `ping`, modern `server/discover`, never from a cache (behaviour 58). Default timeout 5 000 ms. */
  ping(options?: { readonly timeout?: number }): Promise<number>;
  /** Sends a notification; throws `options` for those that revision 2026-07-28 removed (behaviours 50, 60). */
  notify(method: string, params?: Params): Promise<void>;
  /** Tells the server, once a tick, that the roots changed; legacy with `roots.listChanged` only (behaviour 50). */
  rootsChanged(): void;
  stats(): ConnectionStats;
  /** Closes the client (or the transport), kills this connection's callbacks and no others, and lets go of the transport. */
  close(): Promise<void>;
}
