/**
 * A scripted MCP server in memory: it speaks raw JSON-RPC frames, asks the client what a test tells it to ask, and records
 * all that the client sends. It checks nothing and corrects nothing, so a test can break any rule on purpose.
 *
 * Invariant: frames are recorded and delivered in order, each once; what a test waits for either comes or rejects when the
 * line closes, so that a test fails instead of hanging.
 */
import type { Era, RequestId } from '../contract/handler.js';
import { createRecord, type Expectation } from './expect.js';
import {
  type AnswerFrame,
  type Frame,
  isAnswer,
  isRequest,
  type PendingById,
  type RequestFrame,
  type RpcError,
} from './frames.js';
import { declaredCapabilities, type Revision, type ServerSelf, usualReply } from './handshake.js';
import { createLine, type MemoryTransport } from './link.js';

export interface ScriptedServerOptions {
  /** Default `'legacy'`. */
  readonly era?: Era;
  /** The revision the server speaks. Default 2025-11-25 (legacy) or 2026-07-28 (modern). */
  readonly protocolVersion?: Revision | (string & {});
  readonly serverInfo?: { readonly name: string; readonly version: string };
  /** Default: tools, resources, prompts and logging. */
  readonly capabilities?: { readonly [name: string]: unknown };
  readonly instructions?: string;
  /** What `tools/list` answers. Default: none. */
  readonly tools?: readonly unknown[];
}

/**
 * Answers a request of the client. What it returns is sent as the result, as it is (a modern result says its own
 * `resultType`); {@link rpcError} thrown or returned is sent as that error; `undefined` sends nothing, so that the test can
 * {@link ScriptedServer.respond} later, or never.
 */
export type CallScript = (request: RequestFrame, server: ScriptedServer) => unknown;

export interface ScriptedServer {
  /** The client's end: for `client.connect`, `bulkhead.connect` or `bulkhead.attach`. */
  readonly transport: MemoryTransport;
  readonly era: Era;
  /** Scripts the answer to a method; a later script of the same method replaces the earlier, `'*'` takes whatever has none. */
  onCall(method: string, script: CallScript): ScriptedServer;
  /** Asks the client; resolves with its answer, result or error. Ids count from 1 unless chosen. */
  request(method: string, params?: unknown, options?: { readonly id?: RequestId }): Promise<AnswerFrame>;
  notify(method: string, params?: unknown): void;
  /** Sends any frame; a string is sent as JSON text, which keeps spellings that no object has (`__proto__`, `1.0`). */
  send(frame: unknown): void;
  respond(id: RequestId, result: unknown): void;
  fail(id: RequestId, code: number, message: string, data?: unknown): void;
  /** The next frame of the client that matches and was not expected before: by method, or by a predicate. It may be there already. */
  expect(match: Expectation): Promise<Frame>;
  /** Everything the client has sent, in order. */
  readonly frames: readonly Frame[];
  /** Every answer the client has sent under an id, in order; two of them are two too many. */
  answersTo(id: RequestId): readonly AnswerFrame[];
  /** What the client declared last, in `initialize` or in an envelope. */
  readonly clientCapabilities: { readonly [name: string]: unknown } | undefined;
  /** Requests of this server that the client has not answered. */
  readonly unanswered: readonly RequestId[];
  readonly closed: boolean;
  /** The server goes away: the client's transport closes. */
  close(): void;
}

interface Waiting {
  resolve(answer: AnswerFrame): void;
  reject(error: Error): void;
}

const rpcErrorMark: unique symbol = Symbol('rpc error');

/** An error answer for a {@link CallScript} to return or throw. */
export function rpcError(code: number, message: string, data?: unknown): RpcError {
  return Object.defineProperty({ code, message, ...(data === undefined ? {} : { data }) }, rpcErrorMark, { value: true });
}

const isRpcError = (value: unknown): value is RpcError => typeof value === 'object' && value !== null && rpcErrorMark in value;

const describeSelf = (options: ScriptedServerOptions): ServerSelf => {
  const era = options.era ?? 'legacy';
  return {
    era,
    protocolVersion: options.protocolVersion ?? (era === 'modern' ? '2026-07-28' : '2025-11-25'),
    serverInfo: options.serverInfo ?? { name: 'scripted', version: '1.0.0' },
    capabilities: options.capabilities ?? { tools: {}, resources: {}, prompts: {}, logging: {} },
    instructions: options.instructions,
    tools: options.tools ?? [],
  };
};

/**
 * Creates a server and its line. It answers the handshake, `ping` and the lists by itself.
 *
 * ```ts
 * const server = createScriptedServer({ era: 'modern' });
 * server.onCall('tools/call', (request) => ({ resultType: 'complete', content: [] }));
 * await client.connect(server.transport);
 * ```
 */
export function createScriptedServer(options: ScriptedServerOptions = {}): ScriptedServer {
  const self = describeSelf(options);
  const scripts = new Map<string, CallScript>();
  const pending: PendingById<Waiting> = new Map();
  const record = createRecord();
  const line = createLine({ frame: receive, closed: hangUp });
  let clientCapabilities: ScriptedServer['clientCapabilities'];
  let lastId = 0;

  function receive(frame: Frame): void {
    clientCapabilities = declaredCapabilities(frame) ?? clientCapabilities;
    record.add(frame);
    if (isAnswer(frame)) settle(frame);
    else if (isRequest(frame)) void answer(frame);
  }

  function settle(frame: AnswerFrame): void {
    const waiting = pending.get(frame.id);
    pending.delete(frame.id);
    waiting?.resolve(frame);
  }

  async function answer(frame: RequestFrame): Promise<void> {
    const script = scripts.get(frame.method) ?? scripts.get('*');
    if (script === undefined) return line.deliver({ jsonrpc: '2.0', id: frame.id, ...usualReply(self, frame) });
    const said = await run(script, frame);
    if (isRpcError(said)) line.deliver({ jsonrpc: '2.0', id: frame.id, error: said });
    else if (said !== undefined) server.respond(frame.id, said);
  }

  async function run(script: CallScript, frame: RequestFrame): Promise<unknown> {
    try {
      return await script(frame, server);
    } catch (error) {
      return isRpcError(error) ? error : rpcError(-32603, `the script of ${frame.method} threw: ${String(error)}`);
    }
  }

  function hangUp(): void {
    const error = new Error('the line is closed');
    const waiting = [...pending.values()];
    pending.clear();
    for (const each of waiting) each.reject(error);
    record.close(error);
  }

  const server: ScriptedServer = {
    transport: line.transport,
    era: self.era,
    onCall(method, script) {
      scripts.set(method, script);
      return server;
    },
    request(method, params, { id = ++lastId } = {}) {
      if (pending.has(id)) throw new Error(`request ${JSON.stringify(id)} is unanswered; to reuse its id, use send()`);
      return new Promise((resolve, reject) => {
        pending.set(id, { resolve, reject });
        line.deliver({ jsonrpc: '2.0', id, method, params });
      });
    },
    notify: (method, params) => line.deliver({ jsonrpc: '2.0', method, params }),
    send: (frame) => line.deliver(frame),
    respond: (id, result) => line.deliver({ jsonrpc: '2.0', id, result }),
    fail: (id, code, message, data) => line.deliver({ jsonrpc: '2.0', id, error: { code, message, data } }),
    expect: (match) => record.expect(match),
    frames: record.frames,
    answersTo: (id) => record.frames.filter((frame): frame is AnswerFrame => isAnswer(frame) && frame.id === id),
    get clientCapabilities() {
      return clientCapabilities;
    },
    get unanswered() {
      return [...pending.keys()];
    },
    get closed() {
      return line.closed;
    },
    close: line.close,
  };
  return server;
}
