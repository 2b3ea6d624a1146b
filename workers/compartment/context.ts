/**
 * A callback's context as a plugin sees it: the plain data, and three hardened shells around what is live. The host's own
 * signal, services and state never enter the compartment; what crosses is copied through JSON. When the callback has ended,
 * host calls that are still open never settle, so that nothing of it runs on.
 */
import { copy, requirePlain } from './plain.js';
import type { Harden } from './realm.js';

/** The context that the runner made: plain data as own properties, what is live behind getters. */
export interface LiveContext {
  readonly serverId: string;
  readonly signal: AbortSignal;
  readonly host: { readonly [name: string]: (data?: unknown) => Promise<unknown> };
  readonly state: { get(): unknown; set(next: never): void };
}

export interface Shielding {
  /** Names of `context.host` that are granted. */
  readonly services: readonly string[];
  /** Whether the callback still runs. */
  alive(): boolean;
  readonly harden: Harden;
}

/** What is live is made when it is first looked at: most callbacks never do. */
export function shield(context: LiveContext, { services, alive, harden }: Shielding): unknown {
  const data = { ...context } as { readonly [name: string]: unknown };
  requirePlain(data);
  let signal: object | undefined;
  let host: object | undefined;
  return harden({
    ...data,
    get signal() {
      signal ??= harden(shieldSignal(context.signal));
      return signal;
    },
    get host() {
      host ??= harden(shieldHost(context.host, services, alive));
      return host;
    },
    ...('kind' in data ? { state: shieldState(context) } : {}),
  });
}

function shieldState(context: LiveContext): object {
  return { get: () => copy(context.state.get()), set: (next: unknown) => context.state.set(copy(next) as never) };
}

function shieldSignal(signal: AbortSignal): object {
  const reason = (): Error => new Error(String((signal.reason as Error | undefined)?.message ?? signal.reason));
  const listeners = new Map<unknown, () => void>();
  return {
    get aborted() {
      return signal.aborted;
    },
    get reason() {
      return signal.aborted ? reason() : undefined;
    },
    throwIfAborted() {
      if (signal.aborted) throw reason();
    },
    addEventListener(type: unknown, listener: unknown) {
      if (type !== 'abort' || typeof listener !== 'function' || listeners.has(listener) || listeners.size >= 64) return;
      const heard = (): void => listener({ type: 'abort' });
      listeners.set(listener, heard);
      signal.addEventListener('abort', heard, { once: true });
    },
    removeEventListener(_type: unknown, listener: unknown) {
      const heard = listeners.get(listener);
      if (heard !== undefined) signal.removeEventListener('abort', heard);
      listeners.delete(listener);
    },
  };
}

/** Any name is a function; one that is not granted rejects and says so. The main thread checks again. */
function shieldHost(host: LiveContext['host'], services: readonly string[], alive: () => boolean): object {
  const call = async (name: string, data: unknown): Promise<unknown> => {
    if (!services.includes(name)) throw new Error(`host service "${name}" is not granted to this plugin`);
    const answer = await settle(() => (host[name] as (data: unknown) => Promise<unknown>)(copy(data)));
    if (!alive()) return await new Promise(() => {});
    if ('error' in answer) throw new Error(answer.error);
    return copy(answer.value);
  };
  const named = services.map((name) => [name, (data?: unknown) => call(name, data)] as const);
  const known = Object.assign(Object.create(null), Object.fromEntries(named));
  return new Proxy(known, {
    get: (target, name) =>
      typeof name !== 'string' || name === 'then' || name in target
        ? target[name]
        : Object.freeze(async () => call(name, undefined)),
  });
}

/** Only a message of the host's error crosses. */
async function settle(work: () => Promise<unknown>): Promise<{ value: unknown } | { error: string }> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error: error instanceof Error ? error.message : 'the host service failed' };
  }
}
