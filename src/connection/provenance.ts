/**
 * Which of our requests a message of the server belongs to (behaviour 13).
 *
 * The wire has no field for it. On Streamable HTTP the official transports read each request's event stream in the async context
 * in which the request was sent, resumed streams included; so `send` runs in a scope that holds the request's id, and what
 * arrives is asked for its scope. On one shared channel there is no answer here. Pinned by `test/field/provenance.test.ts`.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestId } from '../contract/handler.js';
import { isRequest, type RpcMessage, type TransportLike } from './wire.js';

export interface Provenance {
  readonly streams: boolean;
  /** Runs `send` in the scope of the message's id: of none for notifications and responses. */
  during<T>(message: RpcMessage, send: () => T): T;
  /** The request on whose stream we are being called, if any. */
  current(): RequestId | undefined;
  /** Runs `fn` outside any stream, so that what it starts is not taken for that stream's. */
  outside<T>(fn: () => T): T;
}

interface Stream {
  readonly owner: object;
  readonly id: RequestId | undefined;
}

const scope = new AsyncLocalStorage<Stream>();

export function createProvenance(transport: TransportLike): Provenance {
  const { hasPerRequestStream, resumeStream } = transport as { hasPerRequestStream?: unknown; resumeStream?: unknown };
  if (hasPerRequestStream !== true && typeof resumeStream !== 'function')
    return { streams: false, during: (_message, send) => send(), current: () => undefined, outside: (fn) => fn() };

  const nowhere: Stream = { owner: transport, id: undefined };
  return {
    streams: true,
    during: (message, send) => scope.run(isRequest(message) ? { owner: transport, id: message.id } : nowhere, send),
    current() {
      const stream = scope.getStore();
      return stream?.owner === transport ? stream.id : undefined;
    },
    outside: (fn) => scope.run(nowhere, fn),
  };
}
