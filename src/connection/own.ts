/**
 * Requests of our own, outside the client's books: pings, task polling, `logging/setLevel`. Their ids are strings that no client
 * uses; their answers never reach the client, and a late one is swallowed.
 */
import type { Clock } from '../clock.js';
import type { RequestId } from '../contract/handler.js';
import { BulkheadError } from '../errors.js';
import type { Session } from './session.js';
import type { Spell } from './spell.js';
import type { Tap } from './tap.js';
import { isError, keyOf, type Params, type RpcError, type RpcRequest, type RpcResult } from './wire.js';

const prefix = 'mcp-bulkhead:';

export interface OwnRequests {
  nextId(): string;
  isOwn(id: RequestId): boolean;
  /** Whether one waits under this id. */
  waits(id: RequestId): boolean;
  /**
   * Sends and waits at most `timeout` ms, and no longer than the spell it belongs to. Rejects with `timeout`, `closed`, `cancelled`, or the
   * server's error as the cause of `protocol`.
   */
  send(method: string, params: Params | undefined, timeout: number, spell?: Spell): Promise<Params>;
  /** True: the response belongs to one of ours. */
  settle(message: RpcResult | RpcError): boolean;
  /** Rejects the one that waits under this id; false where none does. */
  fail(id: RequestId, error: BulkheadError): boolean;
  close(): void;
  readonly pending: number;
}

interface Waiting {
  readonly method: string;
  resolve(result: Params): void;
  reject(error: BulkheadError): void;
}

export function createOwnRequests(tap: Tap, session: Session, clock: Clock, serverId: string): OwnRequests {
  const waiting = new Map<string, Waiting>();
  let count = 0;

  const nextId = (): string => `${prefix}${++count}`;

  function take(id: RequestId): Waiting | undefined {
    const entry = waiting.get(keyOf(id));
    waiting.delete(keyOf(id));
    return entry;
  }

  function open(id: string, method: string, timeout: number): Promise<Params> {
    return new Promise((resolve, reject) => {
      const disarm = clock.after(timeout, () =>
        take(id)?.reject(
          new BulkheadError('timeout', `${method} was not answered within ${timeout} ms`, { serverId, requestId: id }),
        ),
      );
      waiting.set(keyOf(id), {
        method,
        resolve: (result) => {
          disarm();
          resolve(result);
        },
        reject: (error) => {
          disarm();
          reject(error);
        },
      });
    });
  }

  return {
    nextId,
    isOwn: (id) => typeof id === 'string' && id.startsWith(prefix),
    waits: (id) => waiting.has(keyOf(id)),
    send(method, params, timeout, spell) {
      const id = nextId();
      const _meta = session.envelope;
      const body = _meta === undefined ? params : { ...params, _meta };
      const message: RpcRequest = { jsonrpc: '2.0', id, method, ...(body !== undefined && { params: body }) };
      const answered = open(id, method, timeout);
      tap
        .send(message)
        .catch((cause: unknown) =>
          take(id)?.reject(new BulkheadError('closed', `${method} could not be sent`, { serverId, cause })),
        );
      const forget = spell?.onEnd(() => take(id)?.reject(new BulkheadError('cancelled', `${method} was given up`, { serverId })));
      return forget === undefined ? answered : answered.finally(forget);
    },
    settle(message) {
      const entry = take(message.id);
      if (entry === undefined) return false;
      if (!isError(message)) entry.resolve(message.result);
      else entry.reject(refused(entry.method, message, serverId));
      return true;
    },
    fail(id, error) {
      const entry = take(id);
      entry?.reject(error);
      return entry !== undefined;
    },
    close() {
      for (const [key, entry] of [...waiting]) {
        waiting.delete(key);
        entry.reject(new BulkheadError('closed', 'the connection is closed', { serverId }));
      }
    },
    get pending() {
      return waiting.size;
    },
  };
}

function refused(method: string, { error }: RpcError, serverId: string): BulkheadError {
  return new BulkheadError('protocol', `the server answered ${method} with an error`, {
    code: error.code,
    serverId,
    cause: error,
  });
}
