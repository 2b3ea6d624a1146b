/**
 * `context.host`, seen from the callback's side: every registered service is a function, and any other name is one that rejects.
 *
 * Keeps the calls that wait for an answer in one map. Refuses calls of a callback that has ended, more than the cap at once or
 * altogether, and data that is not plain. Invariant: a call settles once; an answer nobody waits for is ignored.
 */
import type { HostCallOptions } from './handler.js';
import type { FromRunner, RunnerLimits, ToRunner } from './messages.js';
import { encode } from './plain.js';

/** The callback that is calling. */
export interface Caller {
  readonly run: number;
  ended: boolean;
  calls: number;
  waiting: number;
}

export interface Switchboard {
  /** A `context.host` for one callback. */
  hostOf(caller: Caller): { readonly [name: string]: (data?: unknown, options?: HostCallOptions) => Promise<unknown> };
  /** An answer from the main thread. */
  answer(message: Extract<ToRunner, { call: number }>): void;
  /** The callback has ended: whatever it still waits for rejects. */
  end(caller: Caller): void;
}

interface Waiting {
  readonly caller: Caller;
  readonly promise: Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Its timer and its listener go with it: a signal or a long timeout may outlive thousands of calls. */
  forget: () => void;
}

export function createSwitchboard(
  services: readonly string[],
  limits: RunnerLimits,
  send: (message: FromRunner) => void,
): Switchboard {
  const known = new Set(services);
  const waiting = new Map<number, Waiting>();
  let last = 0;

  function settle(call: number): Waiting | undefined {
    const found = waiting.get(call);
    if (found === undefined) return undefined;
    waiting.delete(call);
    found.forget();
    found.caller.waiting--;
    return found;
  }

  function call(caller: Caller, name: string, data: unknown, options: HostCallOptions): Promise<unknown> {
    const refused = refusal(caller, name);
    if (refused !== undefined) return caller.ended ? unheard(Promise.reject(refused)) : Promise.reject(refused);
    const encoded = encode(data, limits.bytes);
    if (!encoded.ok) {
      const found = `expected plain data at "${encoded.path}", found ${encoded.found}`;
      return Promise.reject(named('TypeError', `context.host.${name}: ${found}`));
    }
    const { timeout, signal } = options;
    if (timeout !== undefined && !(typeof timeout === 'number' && timeout >= 0))
      return Promise.reject(named('TypeError', `context.host.${name}: expected "timeout" in milliseconds`));
    if (signal !== undefined && typeof signal?.addEventListener !== 'function')
      return Promise.reject(named('TypeError', `context.host.${name}: expected "signal" to be an AbortSignal`));
    caller.calls++;
    caller.waiting++;
    const id = ++last;
    const ends = {} as Pick<Waiting, 'resolve' | 'reject'>;
    const promise = new Promise((resolve, reject) => Object.assign(ends, { resolve, reject }));
    const item: Waiting = { caller, promise, ...ends, forget: () => {} };
    waiting.set(id, item);
    send({ type: 'call', run: caller.run, call: id, name, json: encoded.json });
    item.forget = giveUpOn({ timeout, signal }, (error) => {
      if (settle(id) === undefined) return;
      send({ type: 'drop', run: caller.run, call: id });
      ends.reject(error);
    });
    return promise;
  }

  function refusal(caller: Caller, name: string): Error | undefined {
    if (caller.ended) return named('AlreadySettled', `context.host.${name}: the callback has ended`);
    if (!known.has(name)) return named('TypeError', `context.host.${name}: the host registered no such service`);
    if (caller.waiting >= limits.callsAtOnce)
      return named('RangeError', `context.host.${name}: more than ${limits.callsAtOnce} calls at once`);
    if (caller.calls >= limits.calls)
      return named('RangeError', `context.host.${name}: more than ${limits.calls} calls of one callback`);
    return undefined;
  }

  return {
    hostOf(caller) {
      const target: { [name: string]: (data?: unknown, options?: HostCallOptions) => Promise<unknown> } = Object.create(null);
      return new Proxy(target, {
        get(made, name) {
          // A host that looks like a promise would be awaited, and ask for a service called "then".
          if (typeof name !== 'string' || (name === 'then' && !known.has(name))) return undefined;
          made[name] ??= (data, options) => call(caller, name, data, options ?? {});
          return made[name];
        },
        has: (_, name) => typeof name === 'string' && known.has(name),
      });
    },
    answer(message) {
      const found = settle(message.call);
      if (found === undefined) return;
      if (message.type === 'failed') found.reject(named(message.name, message.message));
      else found.resolve(message.json === undefined ? undefined : JSON.parse(message.json));
    },
    end(caller) {
      if (caller.waiting === 0) return;
      for (const [id, item] of waiting) {
        if (item.caller !== caller) continue;
        void unheard(item.promise);
        settle(id)?.reject(named('AlreadySettled', 'the callback has ended'));
      }
    },
  };
}

/** A call that a callback did not wait for is no failure when the callback ends first. */
function unheard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** The longest that a timer can be set for: beyond it, `Infinity` included, it would fire at once. */
const longestTimer = 2 ** 31 - 1;

type Waits = { readonly [key in keyof HostCallOptions]: HostCallOptions[key] | undefined };

/** Returns what stops it. */
function giveUpOn({ timeout, signal }: Waits, giveUp: (error: Error) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  if (timeout !== undefined) {
    const expire = () => giveUp(named('TimeoutError', `the host service did not answer within ${timeout} ms`));
    timer = setTimeout(expire, Math.min(timeout, longestTimer));
    timer.unref?.();
  }
  const stop = () => giveUp(named('AbortError', 'the call of the host service was given up'));
  if (signal?.aborted) stop();
  else signal?.addEventListener('abort', stop, { once: true });
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  };
}

function named(name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}
