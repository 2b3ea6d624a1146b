/**
 * The words of a plugin's permissions, spoken on both sides: the main thread works out what is effective, the compartment
 * turns it into globals. Whatever is absent here is absent there.
 *
 * Invariant: plain data only, so that it can be sent to a worker or a child as it is.
 */
import { exportOf } from './handler.js';

/** A field of a service's argument and the values it may have. */
export type ServiceRule = { readonly [field: string]: readonly (string | number | boolean)[] };

/** One host service. With `where`, every call's argument is an object whose named fields hold one of the listed values. */
export interface ServicePermission {
  readonly where?: ServiceRule;
}

export interface FetchPermission {
  /** Web origins, canonically spelled. Nothing else is ever asked, redirects included. */
  readonly origins: readonly string[];
  /** Default `['GET']`. */
  readonly methods?: readonly string[];
  /** Default 1 MiB. */
  readonly maxResponseBytes?: number;
}

/** What a plugin may have. An absent name is denied. */
export interface Permissions {
  /** `console`, five methods, as lines of the host's output event. */
  readonly console?: Record<never, never>;
  /** `setTimeout` and its kin, cleared when the callback ends. `max` at once, default 64. */
  readonly timers?: { readonly max?: number };
  /** `crypto.randomUUID()` and `Math.random()`. */
  readonly random?: Record<never, never>;
  /** `Date.now()` and `new Date()`. */
  readonly clock?: Record<never, never>;
  /** `URL`, read only. */
  readonly url?: Record<never, never>;
  readonly fetch?: FetchPermission;
  /** Services of `context.host`, by name. */
  readonly services?: { readonly [name: string]: ServicePermission };
}

export type PermissionName = keyof Permissions;

export const permissionNames: readonly PermissionName[] = Object.freeze([
  'console',
  'timers',
  'random',
  'clock',
  'url',
  'fetch',
  'services',
] as const);

export interface PluginLimits {
  /** Heap of each worker, and of its child, in MiB. */
  readonly maxMemoryMb?: number;
  /** Longest callback, in milliseconds; the host's own deadline counts where it is shorter. */
  readonly timeoutMs?: number;
  /** Longest JSON text of a result, in characters. */
  readonly maxResultBytes?: number;
}

/** Exports of a handler module that are callbacks. */
export type CallbackExport = (typeof exportOf)[keyof typeof exportOf];

export const callbackExports: readonly CallbackExport[] = Object.freeze(Object.values(exportOf));

/** All that a compartment is given to start a plugin. */
export interface PluginProgram {
  readonly name: string;
  /** One CommonJS text: the very bytes whose hash was checked. */
  readonly source: string;
  readonly permissions: Permissions;
  /** Exports that may be called; each must be there. */
  readonly callbacks: readonly CallbackExport[];
  readonly maxResultBytes: number;
}

/** The text of `ses`, and what V8 made of it in an earlier thread. */
export interface SesImage {
  readonly source: string;
  readonly cache?: Uint8Array;
}

/** `workerData` of a plugin's thread. */
export interface PluginThread {
  readonly ses: SesImage;
  readonly program: PluginProgram;
}

export type PluginManifest = {
  readonly manifestVersion: 1;
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly source: {
    /** Relative to the manifest's folder, and inside it. */
    readonly entry: string;
    /** Subresource integrity, `sha512-…`. */
    readonly integrity: string;
    readonly bytes: number;
    readonly format: 'cjs';
  };
  /** Versions of this package that it runs on, such as `">=0.1 <1"`. */
  readonly engine: string;
  readonly callbacks: readonly CallbackExport[];
  readonly tiers: readonly PluginTier[];
  /** Needed: the plugin does not load without them. */
  readonly permissions: Permissions;
  /** Wanted: absent globals where they are not granted. */
  readonly optionalPermissions?: Permissions;
  readonly limits?: PluginLimits;
};

export type PluginTier = 'compartment' | 'process';

export const longestSource: number = 16 * 2 ** 20;
