/**
 * Hardened JavaScript in this thread: loads `ses`, locks the realm down, hands out compartments. Once per thread, and never
 * undone: everything else in the thread then shares frozen intrinsics.
 *
 * Every option of `lockdown` is given, since an absent one would be read from the environment. The text of `ses` is compiled
 * from a V8 code cache where one is handed in, which halves the start; a cache that V8 rejects costs nothing but the time.
 */
import { Script } from 'node:vm';
import type { SesImage } from '../../src/contract/plugin.js';

export type Harden = <T>(value: T) => T;

export interface Compartment {
  readonly globalThis: Record<string, unknown>;
  evaluate(source: string): unknown;
}

export interface Realm {
  readonly harden: Harden;
  createCompartment(): Compartment;
  /** The stack of an error, which the error itself does not show inside; empty for whatever is no error. */
  stackOf(error: unknown): string;
  /** The code cache for the next thread, complete once the realm is locked down. */
  createCache(): Uint8Array;
}

interface Ses {
  lockdown(options: object): void;
  harden: Harden;
  Compartment: new () => Compartment;
  getStackString(error: unknown): string;
}

const options = Object.freeze({
  errorTaming: 'safe',
  stackFiltering: 'concise',
  overrideTaming: 'severe',
  // Only the thread's own console stays native; plugins get theirs.
  consoleTaming: 'unsafe',
  localeTaming: 'safe',
  regExpTaming: 'safe',
  domainTaming: 'safe',
  evalTaming: 'safe-eval',
  // The pool owns exits and late failures.
  errorTrapping: 'none',
  unhandledRejectionTrapping: 'none',
  legacyRegeneratorRuntimeTaming: 'safe',
  reporting: 'none',
});

export function openRealm(image: SesImage): Realm {
  const cachedData = image.cache === undefined ? undefined : Buffer.from(image.cache);
  const script = new Script(image.source, { filename: 'ses.cjs', ...(cachedData === undefined ? {} : { cachedData }) });
  script.runInThisContext();
  const ses = globalThis as unknown as Ses;
  ses.lockdown(options);
  const { harden, Compartment, getStackString: stackOf } = ses;
  return { harden, stackOf, createCompartment: () => new Compartment(), createCache: () => script.createCachedData() };
}
