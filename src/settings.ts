/**
 * What a host hands to `createBulkhead`, `attach` and `connect`, and the checks of everything that is no limit.
 */
import { boolean, isPlain, oneOf, wrong } from './checks.js';
import { type Clock, systemClock } from './clock.js';
import type { ClientInfo, HostClientOptions } from './connection/client.js';
import type { ClientLike } from './connection/face.js';
import type { IsolationSettings } from './isolation/create.js';
import type { HostServiceTable } from './isolation/isolation.js';
import { type Budget, openBudget } from './limits/bucket.js';
import { type LimitOptions, type Limits, pickLimits, resolveLimits, type Tier, tiers } from './options.js';
import type { PluginGrant } from './plugin/grant.js';
import { resolveThreads, type ThreadOptions } from './threads.js';

export interface BulkheadOptions<Services extends HostServiceTable = HostServiceTable> extends LimitOptions {
  /** The operator's name for this host, as callbacks see it (`context.client`). Default 'mcp-bulkhead'. */
  readonly name?: string;
  /** Path or file URL of the handler module. Without one nothing is advertised. */
  readonly handler?: string | URL;
  /**
   * A plugin in place of a handler module: path or file URL of its manifest. It has what it wants and `grant` gives, nothing else, and
   * runs in a tier of its own that no other plugin shares.
   */
  readonly plugin?: string | URL;
  /** What the plugin may have. Default: nothing. */
  readonly grant?: PluginGrant;
  /** A lock file that pins name, version and integrity; a plugin that differs does not load. */
  readonly pluginLock?: string | URL;
  /** Where callbacks run. Default 'thread'. For a plugin: the least it may run in, default 'process'. */
  readonly isolation?: Tier;
  /** Services that callbacks may call in the main thread, as `context.host.name(data)`. */
  readonly host?: Services;
  readonly threads?: ThreadOptions;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Shared with other threads of the host: `openBudget(buffer)`. Default: one of its own. */
  readonly budget?: Budget;
  /** Deadlines and busy times stand still while an inspector is attached. Default false. */
  readonly debug?: boolean;
  /** How long a handler module may take to load, in ms. Default 10 000. */
  readonly loadTimeout?: number;
}

/** Of one connection: its name, data, and any limit that differs from the bulkhead's. */
export interface ConnectionOptions extends LimitOptions {
  /** The operator's name for the server: its budget, its state, and what callbacks see. */
  readonly serverId: string;
  /** Plain data, at most 64 KiB, that callbacks get where a call has none of its own. */
  readonly assigns?: { readonly [key: string]: unknown };
  /** A handler module of this connection's own. */
  readonly handler?: string | URL;
}

export interface AttachOptions<C extends ClientLike | undefined = ClientLike | undefined> extends ConnectionOptions {
  /** The client that will be connected to the transport; without it `connection.call` and its kin throw `options`. */
  readonly client?: C;
}

export interface ConnectOptions extends ConnectionOptions {
  /** Name and version sent to the server. Default: the bulkhead's name. */
  readonly clientInfo?: ClientInfo;
  /** Options of the official client. Default: `versionNegotiation: { mode: 'auto' }`. */
  readonly clientOptions?: HostClientOptions;
}

const bulkheadNames = [
  ...['name', 'handler', 'plugin', 'grant', 'pluginLock', 'isolation', 'host'],
  ...['threads', 'clock', 'budget', 'debug', 'loadTimeout'],
];
/** Options of a connection beside its limits. */
export const connectionNames: readonly string[] = ['serverId', 'assigns', 'handler'];

/** A bulkhead's options, checked and filled in. */
export interface Settings {
  readonly limits: Limits;
  readonly name: string;
  readonly handler: string | undefined;
  readonly clock: Clock;
  readonly budget: Budget;
  readonly debug: boolean;
  readonly isolation: Omit<IsolationSettings, 'handler' | 'events'>;
  /** The latest deadline that the plugin's callbacks may have. */
  readonly pluginTimeout?: number | undefined;
}

/** Throws `options` naming the first wrong one. */
export function resolveSettings(options: BulkheadOptions): Settings {
  const limits = resolveLimits(pickLimits(options, bulkheadNames));
  const { name = 'mcp-bulkhead', host = {}, clock = systemClock, budget = openBudget(), loadTimeout } = options;
  if (typeof name !== 'string' || name === '') wrong('name', 'a string that is not empty', name);
  const isolation = oneOf(...tiers)('isolation', options.isolation, 'thread');
  const debug = boolean('debug', options.debug, false);
  if (loadTimeout !== undefined && !(Number.isSafeInteger(loadTimeout) && loadTimeout >= 1))
    wrong('loadTimeout', 'a positive integer (milliseconds)', loadTimeout);
  const handler = options.handler === undefined ? undefined : checkHandler(options.handler);
  checkPluginOptions(options, isolation);
  const threads = resolveThreads(options.threads);
  if (threads.permission !== false && isolation === 'inline')
    wrong('threads.permission', 'false where callbacks run in the main thread, which has what its process has', true);
  return {
    limits,
    name,
    handler,
    clock: checkClock(clock),
    budget: checkBudget(budget),
    debug,
    isolation: { tier: isolation, threads, services: checkServices(host), clock, debug, loadTimeout },
  };
}

/** A plugin or a handler module, each in its tiers. */
function checkPluginOptions({ plugin, handler, grant, pluginLock }: BulkheadOptions, isolation: Tier): void {
  if (plugin !== undefined) {
    if (handler !== undefined) wrong('handler', 'nothing beside a plugin', handler);
    return;
  }
  for (const [name, value] of Object.entries({ grant, pluginLock }))
    if (value !== undefined) wrong(name, 'nothing without a plugin', value);
  if (isolation === 'compartment' || isolation === 'process')
    wrong('isolation', '"inline" or "thread" for a handler module (the tiers above run plugins: `plugin`)', isolation);
}

export function checkHandler(handler: unknown): string {
  const given = handler instanceof URL ? handler.href : handler;
  if (typeof given !== 'string' || given === '' || (handler instanceof URL && handler.protocol !== 'file:'))
    wrong('handler', 'a path or a file URL', given);
  return given;
}

function checkServices(host: unknown): HostServiceTable {
  if (!isPlain(host)) wrong('host', 'a plain object of functions', host);
  for (const [name, service] of Object.entries(host))
    if (typeof service !== 'function') wrong(`host.${name}`, 'a function', service);
  return host as HostServiceTable;
}

function checkClock(clock: Clock): Clock {
  for (const member of ['now', 'elapsed', 'after'] as const)
    if (typeof clock?.[member] !== 'function') wrong('clock', 'an object with now(), elapsed() and after()', clock);
  return clock;
}

function checkBudget(budget: Budget): Budget {
  if (typeof budget?.take !== 'function' || typeof budget.delay !== 'function')
    wrong('budget', 'what openBudget() returns', budget);
  return budget;
}

export function checkServerId(serverId: unknown): string {
  if (typeof serverId !== 'string' || serverId === '' || serverId.length > 200)
    wrong('serverId', 'a string of 1 to 200 characters', serverId);
  return serverId;
}
