/**
 * Options of the threads that callbacks run in: how many, who shares them, what they may use.
 */
import { type Check, integer, object, oneOf, optional, type Shape, stringMap, strings, wrong } from './checks.js';

export interface ThreadOptions {
  /** Workers kept alive. Default 1. */
  readonly min?: number;
  /** Workers at most. Default 16. One server never holds more than half, rounded up. */
  readonly max?: number;
  /** Warm workers kept ready for the next kill. Default 1. */
  readonly spares?: number;
  /** Terminated threads that may still be running before new requests are refused. Default 2. */
  readonly maxUndead?: number;
  /**
   * Who shares module state: all servers, the callbacks of one server, or nobody. Default 'shared'. With 'call' each callback uses a
   * thread up: callbacks in quick succession wait for a start (some 50 ms) once `spares` are used up, so raise those.
   */
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
export const defaultThreads: ThreadSettings = Object.freeze<ThreadSettings>({
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
});

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
  env: stringMap,
  execArgv: strings,
};

export function resolveThreads(options: ThreadOptions | undefined): ThreadSettings {
  const settings = object<ThreadSettings>(threadShape)('threads', options, defaultThreads);
  if (settings.min > settings.max) wrong('threads.min', `at most threads.max (${settings.max})`, settings.min);
  return settings;
}
