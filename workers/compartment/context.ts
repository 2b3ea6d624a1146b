/**
 * A callback's context as a plugin sees it: the plain data, and hardened shells around what is live. The runner's own objects stay
 * outside: a plugin gets closures over them, plain data, and fresh errors, nothing that a later callback will see again.
 */
import type { HostCallOptions } from '../../src/contract/handler.js';
import { freezePlain } from './plain.js';
import type { Harden } from './realm.js';
import { shieldSignal, signalBehind } from './signal.js';

/** The context that the runner made: plain data as own properties, what is live behind getters. */
export interface LiveContext {
  readonly serverId: string;
  readonly signal: AbortSignal;
  readonly host: { readonly [name: string]: (data?: unknown, options?: HostCallOptions) => Promise<unknown> };
  readonly state: { get(): unknown; set(next: unknown): void };
}

/** Makes contexts. What is live in one is made when it is first looked at: most callbacks never do. */
export function createShield(harden: Harden): (context: LiveContext) => unknown {
  class Shielded {
    readonly #live: LiveContext;
    #signal: object | undefined;
    #host: object | undefined;
    #state: object | undefined;

    constructor(live: LiveContext) {
      this.#live = live;
      Object.assign(this, live);
      for (const value of Object.values(this)) freezePlain(value);
      Object.freeze(this);
    }
    get signal(): object {
      this.#signal ??= shieldSignal(this.#live.signal, harden);
      return this.#signal;
    }
    get host(): object {
      this.#host ??= harden(shieldHost(this.#live));
      return this.#host;
    }
    get state(): object | undefined {
      if (!('kind' in this)) return undefined;
      this.#state ??= harden(shieldState(this.#live));
      return this.#state;
    }
  }
  // Nobody inside makes contexts.
  Reflect.deleteProperty(Shielded.prototype, 'constructor');
  harden(Shielded.prototype);
  return (context) => new Shielded(context);
}

/** What is set is checked and copied when the callback ends. */
function shieldState({ state }: LiveContext): object {
  return {
    get: () => state.get(),
    set: (next: unknown) => state.set(next),
  };
}

/** Any name is a function; the runner copies what goes in and out, and rejects names that are no granted service. */
function shieldHost({ host }: LiveContext): object {
  const made = new Map<string, unknown>();
  return new Proxy(Object.create(null), {
    get(_, name) {
      if (typeof name !== 'string' || name === 'then') return undefined;
      const known = made.get(name);
      if (known !== undefined) return known;
      const call = Object.freeze((data?: unknown, options?: unknown) => host[name]?.(data, optionsOf(options)));
      made.set(name, call);
      return call;
    },
  });
}

/** The runner says what is wrong with them; of a signal that is none of ours it sees only that. */
function optionsOf(given: unknown): HostCallOptions {
  const { timeout, signal } = (given ?? {}) as { timeout?: unknown; signal?: unknown };
  return {
    ...(timeout === undefined ? {} : { timeout: timeout as number }),
    ...(signal === undefined ? {} : { signal: (signalBehind(signal) ?? null) as AbortSignal }),
  };
}
