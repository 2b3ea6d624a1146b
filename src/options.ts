/**
 * Options in, settings out: every limit filled in, every mistake named with option, expected and received.
 *
 * One resolution order for all limits, the same in both eras (call, connection, bulkhead, default): `resolveLimits` fills a
 * bulkhead's options over `defaults`, and a connection's over those. No other file holds the default of a limit.
 */

import {
  boolean,
  type Check,
  integer,
  isPlain,
  milliseconds,
  number,
  object,
  oneOf,
  optional,
  origin,
  type Shape,
  unknown,
  wrong,
} from './checks.js';
import type { CallbackKind, LogLevel } from './contract/handler.js';
import { logLevels } from './sanitise/entry.js';
import { defaultThreads, type ThreadSettings } from './threads.js';

export type PerKind<T> = { readonly [kind in CallbackKind]: T };

/** One figure for all kinds, or one per kind; kinds left out keep their default. */
export type PerKindOption = number | Partial<PerKind<number>>;

/** Limits that hold per server, and can be overridden per connection. Times are milliseconds, sizes bytes. */
export interface LimitOptions {
  /** How long a callback may take, queueing included (behaviour 10). Default 300 000 for elicitation, 60 000 otherwise. */
  readonly handlerTimeout?: PerKindOption;
  /** How long a callback may keep its thread *busy* (behaviour 16). Default 10 000; 0 is off, the default for sampling. */
  readonly busyTimeout?: PerKindOption;
  /** How long `context.signal` fires before a kill. Default 0: the kill comes at once. */
  readonly killGrace?: number;
  /** Requests of one connection that may run at once (behaviour 21). Default 8. */
  readonly maxServerRequests?: number;
  /** Input budget per server id (behaviour 31). Default 10 a second, burst 20, `whenOver: 'refuse'`. */
  readonly inputRateLimit?: { readonly perSecond?: number; readonly burst?: number; readonly whenOver?: 'refuse' | 'wait' };
  /** Log entries per connection (behaviour 52). Default 50 a second, burst 100. */
  readonly logRateLimit?: { readonly perSecond?: number; readonly burst?: number };
  /** Asks servers for log messages from this level on, in both eras (behaviour 54). Default: do not ask. */
  readonly logLevel?: LogLevel;
  readonly sampling?: {
    /** Larger requests are clamped to this (behaviour 34). Default 4 096. */
    readonly maxTokens?: number;
    /** Advertise and allow `includeContext` (behaviours 3, 35). Default false. */
    readonly context?: boolean;
    /** Advertise and allow `tools` (behaviours 3, 4). Default false. */
    readonly tools?: boolean;
    /** Allow legacy sampling while no call is in flight (behaviour 36). Default false. */
    readonly allowIdle?: boolean;
    /** Assistant messages with `tool_use` that may pass (behaviour 37). Default 5. */
    readonly maxToolIterations?: number;
    /** The code of a refusal by policy (behaviour 37). Default -1. */
    readonly rejectionCode?: number;
  };
  readonly elicitation?: {
    /** The server's own web origin, where the transport does not tell (behaviour 42). */
    readonly origin?: string;
    /** Allow `http:` URLs on loopback (behaviour 41). Default false. */
    readonly allowLoopbackHttp?: boolean;
    /** Fill missing keys of an accepted form from its defaults (behaviour 48). Default false. */
    readonly applyDefaults?: boolean;
    /** What a time-out answers (behaviour 47). Default 'error'. */
    readonly onTimeout?: 'error' | 'cancel';
  };
  /** Advertise and send `notifications/roots/list_changed` (behaviours 3, 50). Legacy only. Default false. */
  readonly roots?: { readonly listChanged?: boolean };
  /** Bounds of a modern call's rounds (behaviour 25). Default 10 rounds, 16 entries, 1 MiB each way. */
  readonly rounds?: { readonly max?: number; readonly entries?: number; readonly bytes?: number };
  /** The notification mailbox (behaviour 51). Default 1 000 waiting, 60 000 ms for each. */
  readonly notifications?: { readonly maxWaiting?: number; readonly timeout?: number };
  /** Idle clock of a call through `connection.*`, and of each request of the handshake of `connect`. Default 60 000, as in the client. */
  readonly timeout?: number;
  /** Wall clock of such a call, pauses included (behaviour 12). Default 600 000. */
  readonly maxTotalTimeout?: number;
}

/** Where callbacks run. */
export type Tier = 'inline' | 'thread' | 'compartment' | 'process';

/** From the one that stops nothing up. */
export const tiers: readonly Tier[] = Object.freeze(['inline', 'thread', 'compartment', 'process'] as const);

/** {@link LimitOptions} with everything filled in. */
export interface Limits {
  readonly handlerTimeout: PerKind<number>;
  readonly busyTimeout: PerKind<number>;
  readonly killGrace: number;
  readonly maxServerRequests: number;
  readonly inputRateLimit: { readonly perSecond: number; readonly burst: number; readonly whenOver: 'refuse' | 'wait' };
  readonly logRateLimit: { readonly perSecond: number; readonly burst: number };
  readonly logLevel: LogLevel | undefined;
  readonly sampling: {
    readonly maxTokens: number;
    readonly context: boolean;
    readonly tools: boolean;
    readonly allowIdle: boolean;
    readonly maxToolIterations: number;
    readonly rejectionCode: number;
  };
  readonly elicitation: {
    readonly origin: string | undefined;
    readonly allowLoopbackHttp: boolean;
    readonly applyDefaults: boolean;
    readonly onTimeout: 'error' | 'cancel';
  };
  readonly roots: { readonly listChanged: boolean };
  readonly rounds: { readonly max: number; readonly entries: number; readonly bytes: number };
  readonly notifications: { readonly maxWaiting: number; readonly timeout: number };
  readonly timeout: number;
  readonly maxTotalTimeout: number;
}

const mebibyte = 2 ** 20;

/** Every default, each with its reason. */
export const defaults: { readonly limits: Limits; readonly threads: ThreadSettings } = Object.freeze({
  limits: Object.freeze<Limits>({
    // A person needs minutes for a form; a model or a folder list does not.
    handlerTimeout: { sampling: 60_000, elicitation: 300_000, roots: 60_000, notification: 60_000, log: 60_000 },
    // Sampling may compute for a living; nothing else has ten seconds of honest work.
    busyTimeout: { sampling: 0, elicitation: 10_000, roots: 10_000, notification: 10_000, log: 10_000 },
    // A kill that waits is a kill that a hostile callback can stretch.
    killGrace: 0,
    // Half of `threads.max`, so that one server cannot hold the pool.
    maxServerRequests: 8,
    // A person cannot answer faster; the burst lets a tool fan out once.
    inputRateLimit: { perSecond: 10, burst: 20, whenOver: 'refuse' },
    logRateLimit: { perSecond: 50, burst: 100 },
    logLevel: undefined,
    sampling: { maxTokens: 4096, context: false, tools: false, allowIdle: false, maxToolIterations: 5, rejectionCode: -1 },
    elicitation: { origin: undefined, allowLoopbackHttp: false, applyDefaults: false, onTimeout: 'error' },
    roots: { listChanged: false },
    rounds: { max: 10, entries: 16, bytes: mebibyte },
    notifications: { maxWaiting: 1000, timeout: 60_000 },
    // The official client's own default.
    timeout: 60_000,
    // Two forms of five minutes.
    maxTotalTimeout: 600_000,
  }),
  threads: defaultThreads,
});

function perKind(min: number): Check<PerKind<number>> {
  const one = milliseconds(min);
  const each = object<PerKind<number>>({ sampling: one, elicitation: one, roots: one, notification: one, log: one });
  return (option, value, fallback) => {
    if (typeof value !== 'number') {
      if (value !== undefined && (typeof value !== 'object' || value === null))
        wrong(option, 'a number of milliseconds, or an object of them by kind', value);
      return each(option, value, fallback);
    }
    const all = one(option, value, 0);
    return Object.freeze({ sampling: all, elicitation: all, roots: all, notification: all, log: all });
  };
}

const rate = { perSecond: number(0.001, 1e6), burst: integer(1, 1e6) };

const limitShape: Shape<Limits> = {
  handlerTimeout: perKind(1),
  busyTimeout: perKind(0),
  killGrace: milliseconds(0),
  maxServerRequests: integer(1, 10_000),
  inputRateLimit: object({ ...rate, whenOver: oneOf('refuse', 'wait') }),
  logRateLimit: object(rate),
  logLevel: optional(oneOf(...logLevels)),
  sampling: object({
    maxTokens: integer(1, Number.MAX_SAFE_INTEGER),
    context: boolean,
    tools: boolean,
    allowIdle: boolean,
    maxToolIterations: integer(0, 10_000),
    rejectionCode: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  }),
  elicitation: object({
    origin: optional(origin),
    allowLoopbackHttp: boolean,
    applyDefaults: boolean,
    onTimeout: oneOf('error', 'cancel'),
  }),
  roots: object({ listChanged: boolean }),
  rounds: object({ max: integer(1, 1000), entries: integer(1, 1000), bytes: integer(1, 1024 * mebibyte, ' (bytes)') }),
  notifications: object({ maxWaiting: integer(1, 10_000_000), timeout: milliseconds(1) }),
  timeout: milliseconds(1),
  maxTotalTimeout: milliseconds(1),
};

const limitNames: readonly (keyof Limits)[] = Object.freeze(Object.keys(limitShape) as (keyof Limits)[]);

/** The limits among `options`; a name that is neither a limit nor in `others` is an error that lists what there is. */
export function pickLimits(options: unknown, others: readonly string[]): LimitOptions {
  if (!isPlain(options)) wrong('options', 'a plain object', options);
  const limits: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    if (limitNames.includes(name as keyof Limits)) limits[name] = value;
    else if (!others.includes(name)) unknown(name, [...others, ...limitNames]);
  }
  return limits;
}

/** Fills `options` over `base`; throws `options` naming the first wrong one. */
export function resolveLimits(options: LimitOptions, base: Limits = defaults.limits): Limits {
  return object<Limits>(limitShape)('', options, base);
}
