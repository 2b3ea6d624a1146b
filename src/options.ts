/**
 * Options in, settings out: every limit filled in, every mistake named with option, expected and received.
 *
 * One resolution order for all limits, the same in both eras (request, connection, bulkhead, default): `resolve` fills a
 * bulkhead's options over `defaults`, `override` a connection's over those. Nothing else in the package holds a default.
 */

import { longestTimer } from './clock.js';
import type { CallbackKind, LogLevel } from './contract/handler.js';
import { BulkheadError } from './errors.js';

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
  /** Idle clock of a call made through `connection.*`. Default 60 000, as in the official client. */
  readonly timeout?: number;
  /** Wall clock of such a call, pauses included (behaviour 12). Default 600 000. */
  readonly maxTotalTimeout?: number;
}

export interface ThreadOptions {
  /** Workers kept alive. Default 1. */
  readonly min?: number;
  /** Workers at most. Default 16. One server never holds more than half, rounded up. */
  readonly max?: number;
  /** Warm workers kept ready for the next kill. Default 1. */
  readonly spares?: number;
  /** Terminated threads that may still be running before new requests are refused. Default 2. */
  readonly maxUndead?: number;
  /** Who shares module state: all servers, the callbacks of one server, or nobody. Default 'shared'. */
  readonly scope?: 'shared' | 'server' | 'call';
  /** Run workers under Node's permission model, with these folders readable beside the handler's own. Default false. */
  readonly permission?: boolean | { readonly read?: readonly string[] };
  /** Resident growth, in bytes, at which running callbacks are killed. Default 1 GiB. */
  readonly memoryBudget?: number;
  /** `resourceLimits` of worker threads. Default: heap above the memory budget, so that the watch wins. */
  readonly resourceLimits?: {
    readonly maxOldGenerationSizeMb?: number;
    readonly maxYoungGenerationSizeMb?: number;
    readonly codeRangeSizeMb?: number;
    readonly stackSizeMb?: number;
  };
  /** Environment variables that workers see. Default none. */
  readonly env?: { readonly [name: string]: string };
  /** Extra `execArgv` of workers, for loaders such as `['--import', 'tsx']`. Default none. */
  readonly execArgv?: readonly string[];
}

export type Isolation = 'inline' | 'thread' | 'compartment' | 'process';

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

/** {@link ThreadOptions} with everything filled in. */
export interface ThreadSettings {
  readonly min: number;
  readonly max: number;
  readonly spares: number;
  readonly maxUndead: number;
  readonly scope: 'shared' | 'server' | 'call';
  readonly permission: false | { readonly read: readonly string[] };
  readonly memoryBudget: number;
  readonly resourceLimits: NonNullable<ThreadOptions['resourceLimits']>;
  readonly env: { readonly [name: string]: string };
  readonly execArgv: readonly string[];
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
  threads: Object.freeze<ThreadSettings>({
    min: 1,
    // Twice one server's cap: a form that waits holds its thread.
    max: 16,
    // One kill at a time is what an honest handler causes; each spare costs some 8 MB.
    spares: 1,
    maxUndead: 2,
    scope: 'shared',
    permission: false,
    memoryBudget: 1024 * mebibyte,
    resourceLimits: {},
    // Workers would otherwise get a copy of every secret in the environment.
    env: {},
    execArgv: [],
  }),
});

/** Throws the one kind of error a wrong option gives. */
export function wrong(option: string, expected: string, received: unknown): never {
  throw new BulkheadError('options', `option "${option}": expected ${expected}, received ${describe(received)}`);
}

/** A short, safe spelling of what was received. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return value.length > 60 ? `a string of ${value.length} characters` : JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (value === null || typeof value !== 'object') return typeof value === 'function' ? 'a function' : String(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  const name = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return name === 'Object' || typeof name !== 'string' || name === '' ? 'an object' : `an object of class ${name}`;
}

type Check<T> = (option: string, value: unknown, fallback: T) => T;

const finite = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function number(min: number, max: number, unit = ''): Check<number> {
  return (option, value, fallback) => {
    if (value === undefined) return fallback;
    if (!finite(value) || value < min || value > max) wrong(option, `a number from ${min} to ${max}${unit}`, value);
    return value;
  };
}

function integer(min: number, max: number, unit = ''): Check<number> {
  return (option, value, fallback) => {
    if (value === undefined) return fallback;
    if (!Number.isSafeInteger(value) || (value as number) < min || (value as number) > max)
      wrong(option, `an integer from ${min} to ${max}${unit}`, value);
    return value as number;
  };
}

const milliseconds = (min: number): Check<number> => integer(min, longestTimer, ' (milliseconds)');

const boolean: Check<boolean> = (option, value, fallback) => {
  if (value === undefined) return fallback;
  if (typeof value !== 'boolean') wrong(option, 'a boolean', value);
  return value;
};

function oneOf<T extends string>(...choices: readonly T[]): Check<T> {
  return (option, value, fallback) => {
    if (value === undefined) return fallback;
    if (!choices.includes(value as T)) wrong(option, `one of ${choices.map((c) => `"${c}"`).join(', ')}`, value);
    return value as T;
  };
}

function optional<T>(check: Check<T>): Check<T | undefined> {
  return (option, value, fallback) => (value === undefined ? fallback : check(option, value, undefined as never));
}

type Shape<T> = { readonly [key in keyof T]-?: Check<T[key]> };

/** An object of known keys; an unknown one is an error that lists what there is. */
function object<T extends object>(shape: Shape<T>): Check<T> {
  const keys = Object.keys(shape);
  return (option, value, fallback) => {
    if (value === undefined) return fallback;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      wrong(option, `an object of ${keys.join(', ')}`, value);
    const prefix = option === '' ? '' : `${option}.`;
    for (const key of Object.keys(value)) {
      if (!keys.includes(key)) wrong(`${prefix}${key}`, `no such option (there are: ${keys.join(', ')})`, (value as never)[key]);
    }
    const filled: Record<string, unknown> = {};
    for (const key of keys) {
      const check = (shape as Record<string, Check<unknown>>)[key] as Check<unknown>;
      filled[key] = check(
        `${prefix}${key}`,
        (value as Record<string, unknown>)[key],
        (fallback as Record<string, unknown>)?.[key],
      );
    }
    return Object.freeze(filled) as T;
  };
}

function perKind(min: number): Check<PerKind<number>> {
  const one = milliseconds(min);
  const each = object<PerKind<number>>({ sampling: one, elicitation: one, roots: one, notification: one, log: one });
  return (option, value, fallback) => {
    if (typeof value !== 'number') return each(option, value, fallback);
    const all = one(option, value, 0);
    return Object.freeze({ sampling: all, elicitation: all, roots: all, notification: all, log: all });
  };
}

const origin: Check<string> = (option, value) => {
  const parsed = typeof value === 'string' ? (URL.parse?.(value) ?? parse(value)) : null;
  if (parsed === null || parsed.origin === 'null') wrong(option, 'a web origin such as "https://example.com"', value);
  return parsed.origin;
};

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
const rate = { perSecond: number(0.001, 1e6), burst: integer(1, 1e6) };

const limitShape: Shape<Limits> = {
  handlerTimeout: perKind(1),
  busyTimeout: perKind(0),
  killGrace: milliseconds(0),
  maxServerRequests: integer(1, 10_000),
  inputRateLimit: object({ ...rate, whenOver: oneOf('refuse', 'wait') }),
  logRateLimit: object(rate),
  logLevel: optional(oneOf<LogLevel>(...levels)),
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

const strings: Check<readonly string[]> = (option, value, fallback) => {
  if (value === undefined) return fallback;
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) wrong(option, 'an array of strings', value);
  return Object.freeze([...value]);
};

const env: Check<{ readonly [name: string]: string }> = (option, value, fallback) => {
  if (value === undefined) return fallback;
  if (typeof value !== 'object' || value === null || !Object.values(value).every((item) => typeof item === 'string'))
    wrong(option, 'an object of strings', value);
  return Object.freeze({ ...value });
};

const readable = object<{ read: readonly string[] }>({ read: strings });
const megabytes: Check<number | undefined> = optional(integer(1, 1_000_000, ' (megabytes)'));

const threadShape: Shape<ThreadSettings> = {
  min: integer(1, 1024),
  max: integer(1, 1024),
  spares: integer(0, 64),
  maxUndead: integer(0, 64),
  scope: oneOf('shared', 'server', 'call'),
  permission: (option, value, fallback) => {
    if (value === undefined) return fallback;
    if (value === false) return false;
    return value === true ? { read: [] } : readable(option, value, { read: [] });
  },
  memoryBudget: integer(mebibyte, Number.MAX_SAFE_INTEGER, ' (bytes)'),
  resourceLimits: object({
    maxOldGenerationSizeMb: megabytes,
    maxYoungGenerationSizeMb: megabytes,
    codeRangeSizeMb: megabytes,
    stackSizeMb: megabytes,
  }) as Check<ThreadSettings['resourceLimits']>,
  env,
  execArgv: strings,
};

export const limitNames: readonly (keyof Limits)[] = Object.freeze(Object.keys(limitShape) as (keyof Limits)[]);

/** The limits among `options`; a name that is neither a limit nor in `others` is an error that lists what there is. */
export function pickLimits(options: unknown, others: readonly string[]): LimitOptions {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) wrong('options', 'an object', options);
  const limits: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    if (limitNames.includes(name as keyof Limits)) limits[name] = value;
    else if (!others.includes(name)) wrong(name, `no such option (there are: ${[...others, ...limitNames].join(', ')})`, value);
  }
  return limits;
}

/** Fills `options` over `base`; throws `options` naming the first wrong one. */
export function resolveLimits(options: LimitOptions, base: Limits = defaults.limits): Limits {
  return object<Limits>(limitShape)('', options, base);
}

export function resolveThreads(options: ThreadOptions | undefined, base: ThreadSettings = defaults.threads): ThreadSettings {
  const settings = object<ThreadSettings>(threadShape)('threads', options, base);
  if (settings.min > settings.max) wrong('threads.min', `at most threads.max (${settings.max})`, settings.min);
  return settings;
}
