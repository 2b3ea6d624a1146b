/**
 * The public face of one connection, over its wiring. It outlives its transport's session: after a close the same transport object
 * may be connected again, with the books empty, the budget and the state kept. `close()` ends it for good.
 */

import type { CallToolResult, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/client';
import { milliseconds, object, wrong } from '../checks.js';
import { isObject } from '../contract/form.js';
import { BulkheadError } from '../errors.js';
import type { Stray } from '../isolation/isolation.js';
import { currentTicket, runCall } from './caller.js';
import type { Call } from './calls.js';
import { introduce } from './client.js';
import { failCall } from './ending.js';
import type { ClientLike, Connection } from './face.js';
import type { Link } from './link.js';
import type { ConnectionSettings } from './settings.js';
import { createSpell } from './spell.js';
import { cancelTask, followTask } from './tasks.js';
import { wire } from './wiring.js';

export interface OwnedConnection<C extends ClientLike | undefined = ClientLike | undefined> extends Connection<C> {
  /** Reports a late failure of one of this connection's callbacks. */
  stray(event: Stray): void;
}

/** A client's methods, without the signatures in which clients differ. */
interface Methods {
  callTool(...args: readonly unknown[]): Promise<unknown>;
  readResource(...args: readonly unknown[]): Promise<unknown>;
  getPrompt(...args: readonly unknown[]): Promise<unknown>;
  /** Of 2.x alone. */
  getProtocolEra?: unknown;
}

const pinging = object<{ timeout: number }>({ timeout: milliseconds(1) });

export function createConnection<C extends ClientLike | undefined>(
  settings: ConnectionSettings & { readonly client: C },
): OwnedConnection<C> {
  const { serverId, client, clock, limits } = settings;
  const owner = {};
  /** The session has ended; another may begin on the same transport. */
  let gone = false;
  const { link, own, events, rootsNotice, stats, shut, remove } = wire(
    {
      ...settings,
      opened() {
        gone = false;
        settings.opened();
      },
      closed() {
        gone = true;
        settings.closed();
      },
    },
    owner,
  );
  let closed = false;

  /** A client that takes a session up again sends nothing first. */
  function connected(): boolean {
    return (client as { transport?: unknown } | undefined)?.transport === settings.transport;
  }

  function needClient(method: string): Methods {
    if (client === undefined)
      throw new BulkheadError('options', `${method} needs a client: give "client" to attach(), or use connect()`, { serverId });
    return client as unknown as Methods;
  }

  function needOpen(open = !closed): void {
    if (!open) throw new BulkheadError('closed', 'the connection is closed', { serverId });
  }

  function needModern(method: string): void {
    needOpen();
    if (link.session.era !== 'modern')
      throw new BulkheadError('options', `${method} exists in revision 2026-07-28 only`, { serverId });
  }

  const connection: OwnedConnection<C> = {
    serverId,
    client,
    get era() {
      return link.session.era;
    },
    on: events.on,
    stray: (event) => events.emit('stray', event),
    stats,

    async call(fn, options = {}) {
      needOpen(!closed && (!gone || connected()));
      needClient('call');
      return runCall({ owner, clock, limits, serverId }, fn, options);
    },
    async callTool(params, options) {
      const target = needClient('callTool');
      // sdk 1.x takes a result schema before the options.
      const before = typeof target.getProtocolEra === 'function' ? [] : [undefined];
      return connection.call((given) => target.callTool(params, ...before, given) as Promise<CallToolResult>, options);
    },
    async readResource(params, options) {
      const target = needClient('readResource');
      return connection.call((given) => target.readResource(params, given) as Promise<ReadResourceResult>, options);
    },
    async getPrompt(params, options) {
      const target = needClient('getPrompt');
      return connection.call((given) => target.getPrompt(params, given) as Promise<GetPromptResult>, options);
    },

    async awaitTask(taskId, options = {}) {
      needModern('awaitTask');
      checkTaskId(taskId);
      return runCall({ owner, clock, limits, serverId }, ({ signal }) => follow(link, owner, taskId, signal), options);
    },
    async cancelTask(taskId) {
      needModern('cancelTask');
      checkTaskId(taskId);
      await cancelTask(link, taskId);
    },

    pendingCalls: () => link.calls.list().map((call) => describeCall(call, clock.elapsed())),
    cancel(id, reason = 'cancelled by the host') {
      const call = link.calls.byClient(id);
      if (call === undefined) return false;
      if (call.request.method === 'initialize')
        throw new BulkheadError('options', 'the initialize request cannot be cancelled; close the connection instead', {
          serverId,
          requestId: id,
        });
      giveUp(link, call, reason);
      return true;
    },

    async ping(options) {
      const { timeout } = pinging('ping', options, { timeout: 5_000 });
      needOpen();
      if (link.session.era === undefined) await introduce(client, { timeout });
      const { era } = link.session;
      if (era === undefined) throw new BulkheadError('closed', 'the connection is not initialised', { serverId });
      const began = clock.elapsed();
      await own.send(era === 'modern' ? 'server/discover' : 'ping', undefined, timeout);
      return clock.elapsed() - began;
    },
    async notify(method, params) {
      needOpen();
      if (typeof method !== 'string' || !method.startsWith('notifications/'))
        wrong('method', 'a string that begins with "notifications/"', method);
      if (params !== undefined && !isObject(params)) wrong('params', 'an object', params);
      if (link.session.era === 'modern' && method !== 'notifications/cancelled')
        throw new BulkheadError('options', `${method} does not exist in revision 2026-07-28`, { serverId });
      await link.tap.send({ jsonrpc: '2.0', method, ...(params !== undefined && { params }) });
    },
    rootsChanged: rootsNotice.due,

    async close() {
      if (closed) return;
      closed = true;
      shut();
      try {
        await (client ?? settings.transport).close();
      } finally {
        remove();
      }
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
  return connection;
}

function checkTaskId(taskId: unknown): void {
  if (typeof taskId !== 'string') wrong('taskId', 'a string', taskId);
}

function describeCall({ request, startedAt, inputs }: Call, now: number): ReturnType<Connection['pendingCalls']>[number] {
  return { id: request.id, method: request.method, age: now - startedAt, inputs: inputs.size };
}

/** Tells the server, kills the callbacks, and answers the client's request with our error. */
function giveUp(link: Link, call: Call, reason: string): void {
  const { request, live, options } = call;
  const error = new BulkheadError('cancelled', 'the call was cancelled by the host', {
    serverId: link.serverId,
    requestId: request.id,
  });
  if (call.ticket !== undefined) {
    call.ticket.reason ??= reason;
    return call.ticket.abandon(error);
  }
  link.calls.close(call, 'cancelled');
  // Where each request has a stream of its own, closing the call has closed it, and that is the cancel (behaviour 59).
  const streamClosed = link.session.era === 'modern' && options?.requestSignal !== undefined;
  if (live !== undefined && !streamClosed)
    link.tap.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: live, reason } }).catch(() => {});
  failCall(link, call, error);
}

async function follow(
  link: Link,
  owner: object,
  taskId: string,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<Connection['awaitTask']>>> {
  const ticket = currentTicket(owner);
  const spell = createSpell(link.clock);
  const onAbort = (): void => spell.end(ticket?.failure?.kind === 'timeout' ? 'timeout' : 'cancelled');
  signal.addEventListener('abort', onAbort, { once: true });
  const end = await followTask({ link, taskId, ticket, spell }).finally(() => signal.removeEventListener('abort', onAbort));
  if (end.type === 'result') return end.result;
  throw new BulkheadError('protocol', 'the task failed', {
    code: end.error.code,
    serverId: link.serverId,
    requestId: taskId,
    cause: end.error,
  });
}
