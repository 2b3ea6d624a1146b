/**
 * The composition root: options in, rooms wired, connections out, everything closed at the end.
 *
 * One bulkhead has one budget and one place where callbacks run; a connection with a `handler` of its own gets another place.
 */
import { createAnswer } from './answer.js';
import type { Clock } from './clock.js';
import { systemClock } from './clock.js';
import { snapshotAssigns } from './connection/assigns.js';
import { type ClientInfo, connectClient, type HostClientOptions, makeClient } from './connection/client.js';
import { createConnection, type OwnedConnection } from './connection/connection.js';
import { createEmitter } from './connection/events.js';
import type { ClientLike, Connection, Stray } from './connection/face.js';
import { createStates } from './connection/state.js';
import { isTransport, openTarget, type Target } from './connection/target.js';
import type { TransportLike } from './connection/wire.js';
import { advertise, type InputCapabilities } from './era/capabilities.js';
import { BulkheadError } from './errors.js';
import { admit, release } from './guards/guards.js';
import type { IsolationSettings } from './isolation/create.js';
import { debuggerAttached } from './isolation/debug.js';
import type { HostServiceTable, IsolationEvents, IsolationStats } from './isolation/isolation.js';
import { type Budget, openBudget } from './limits/bucket.js';
import type { NotificationsEvent } from './notifications/mailbox.js';
import {
  type LimitOptions,
  pickLimits,
  resolveLimits,
  resolveThreads,
  type ThreadOptions,
  type Isolation as Tier,
  wrong,
} from './options.js';
import { createPlaces } from './places.js';

export interface BulkheadOptions<Services extends HostServiceTable = HostServiceTable> extends LimitOptions {
  /** The operator's name for this host, as callbacks see it (`context.client`). Default 'mcp-bulkhead'. */
  readonly name?: string;
  /** Path or file URL of the handler module. Without one nothing is advertised. */
  readonly handler?: string | URL;
  /** Where callbacks run. Default 'thread'. */
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

export interface AttachOptions extends ConnectionOptions {
  /** The client that will be connected to the transport; without it `connection.call` and its kin throw `options`. */
  readonly client?: ClientLike;
}

export interface ConnectOptions extends ConnectionOptions {
  /** Name and version sent to the server. Default: the bulkhead's name. */
  readonly clientInfo?: ClientInfo;
  /** Options of the official client. Default: `versionNegotiation: { mode: 'auto' }`. */
  readonly clientOptions?: HostClientOptions;
}

export type BulkheadEvents = {
  /** A line that a callback printed. Without a listener it goes to stderr, never to stdout. */
  output: Parameters<IsolationEvents['output']>;
  /** A thread outlived its termination, or at last died. */
  undead: Parameters<IsolationEvents['undead']>;
  stray: readonly [event: Stray];
  /** The notification worker died, or could not be started. */
  consumer: readonly [event: NotificationsEvent];
};

export interface BulkheadStats {
  /** Connections with an open session. */
  readonly connections: number;
  /** One per handler module; the bulkhead's own comes first. */
  readonly isolation: readonly IsolationStats[];
}

export interface Bulkhead extends AsyncDisposable {
  /** What is advertised: derived from what the handler module exports (behaviours 1 to 3). */
  readonly capabilities: InputCapabilities;
  /**
   * Opens a transport, connects the official client to it, and answers the server. Rejects with `options`, `load`, or the client's own
   * connection error, in which case nothing is left running.
   */
  connect(target: Target, options: ConnectOptions): Promise<Connection>;
  /** Patches a transport in place, before your own client is connected to it. Throws `options`. */
  attach(transport: TransportLike, options: AttachOptions): Connection;
  on<Name extends keyof BulkheadEvents>(name: Name, listener: (...args: BulkheadEvents[Name]) => void): () => void;
  /** Loads the handler modules anew: new requests use them, running ones finish on the old. Rejects with `load` and keeps the old. */
  reload(): Promise<void>;
  stats(): BulkheadStats;
  /** Closes all connections and threads. `wait`: when what runs has ended; default: at once. */
  close(options?: { readonly wait?: boolean }): Promise<void>;
}

const bulkheadNames = ['name', 'handler', 'isolation', 'host', 'threads', 'clock', 'budget', 'debug', 'loadTimeout'];
const connectionNames = ['serverId', 'assigns', 'handler'];
let connectionCount = 0;

/** Loads the handler module in a worker, describes it, and gives the runtime. Rejects with `options` or `load`. */
export async function createBulkhead<Services extends HostServiceTable = HostServiceTable>(
  options: BulkheadOptions<Services> = {},
): Promise<Bulkhead> {
  const limits = resolveLimits(pickLimits(options, bulkheadNames));
  const settings = resolveOwn(options);
  const { name, clock, budget, debug } = settings;
  const events = createEmitter<BulkheadEvents>(['output', 'undead', 'stray', 'consumer']);
  const open = new Set<OwnedConnection>();
  const states = createStates();
  const answer = createAnswer({ guards: { admit, release }, budget, clock, halted: () => debug && debuggerAttached() });
  const places = createPlaces(
    (handler) => ({ ...settings.isolation, handler, events: isolationEvents }),
    clock,
    (event) => events.emit('consumer', event),
  );
  let closed = false;

  const isolationEvents: IsolationEvents = {
    output(event) {
      if (events.has('output')) events.emit('output', event);
      else process.stderr.write(`[${event.serverId ?? 'handler'}] ${event.line}\n`);
    },
    undead: (event) => events.emit('undead', event),
    stray(event) {
      events.emit('stray', event);
      for (const connection of open) if (connection.serverId === event.serverId) connection.stray(event);
    },
  };

  const home = await places.at(settings.handler);

  function openConnection(
    transport: TransportLike,
    client: ClientLike | undefined,
    given: ConnectionOptions,
    origin: string | null,
    others: readonly string[],
  ): OwnedConnection {
    if (closed) throw new BulkheadError('closed', 'the bulkhead is closed');
    const own = resolveLimits(pickLimits(given, [...connectionNames, ...others]), limits);
    const serverId = checkServerId(given.serverId);
    const state = states.open(serverId);
    const connection: OwnedConnection = createConnection({
      id: ++connectionCount,
      serverId,
      name,
      limits: own,
      clock,
      answer,
      transport,
      client,
      assigns: snapshotAssigns(given.assigns) ?? {},
      serverOrigin: own.elicitation.origin ?? origin,
      state,
      isolation: given.handler === undefined ? home : places.at(checkHandler(given.handler)),
      notifications: places.notifications,
      budgetDelay: (rate) => budget.delay(serverId, rate),
      opened: () => open.add(connection),
      closed() {
        state.park();
        open.delete(connection);
      },
    });
    return connection;
  }

  const bulkhead: Bulkhead = {
    get capabilities() {
      return advertise(home.description, limits, 'legacy');
    },
    attach(transport, given) {
      if (!isTransport(transport)) wrong('transport', 'an object with start(), send() and close()', transport);
      return openConnection(transport, given?.client, given, null, ['client']);
    },
    async connect(target, given) {
      pickLimits(given, [...connectionNames, 'clientInfo', 'clientOptions']);
      const { transport, origin } = await openTarget(target);
      const client = await makeClient(given.clientInfo ?? { name, version: '0' }, given.clientOptions);
      const connection = openConnection(transport, client as ClientLike, given, origin, ['clientInfo', 'clientOptions']);
      try {
        await connectClient(client, transport);
      } catch (error) {
        await connection.close().catch(() => {});
        throw error;
      }
      return connection;
    },
    on: events.on,
    reload: () => places.reload(),
    stats: () => ({ connections: open.size, isolation: places.list().map((isolation) => isolation.stats()) }),
    async close({ wait = false } = {}) {
      if (closed) return;
      closed = true;
      if (wait) await places.close('wait');
      await Promise.allSettled([...open].map((connection) => connection.close()));
      await places.close('kill');
    },
    [Symbol.asyncDispose]: () => bulkhead.close(),
  };
  return bulkhead;
}

interface Own {
  readonly name: string;
  readonly handler: string | undefined;
  readonly clock: Clock;
  readonly budget: Budget;
  readonly debug: boolean;
  readonly isolation: Omit<IsolationSettings, 'handler' | 'events'>;
}

const tiers: readonly Tier[] = ['inline', 'thread', 'compartment', 'process'];

function resolveOwn(options: BulkheadOptions): Own {
  const {
    name = 'mcp-bulkhead',
    isolation = 'thread',
    host = {},
    clock = systemClock,
    budget = openBudget(),
    debug = false,
    loadTimeout = 10_000,
  } = options;
  if (typeof name !== 'string' || name === '') wrong('name', 'a string', name);
  if (!tiers.includes(isolation)) wrong('isolation', `one of ${tiers.map((tier) => `"${tier}"`).join(', ')}`, isolation);
  if (typeof debug !== 'boolean') wrong('debug', 'a boolean', debug);
  if (!Number.isSafeInteger(loadTimeout) || loadTimeout < 1)
    wrong('loadTimeout', 'a positive integer (milliseconds)', loadTimeout);
  const handler = options.handler === undefined ? undefined : checkHandler(options.handler);
  const threads = resolveThreads(options.threads);
  const tier = isolation as IsolationSettings['tier'];
  return {
    name,
    handler,
    clock: checkClock(clock),
    budget: checkBudget(budget),
    debug,
    isolation: { tier, threads, services: checkServices(host), clock, debug, loadTimeout },
  };
}

function checkHandler(handler: unknown): string {
  if (handler instanceof URL) return handler.href;
  if (typeof handler !== 'string' || handler === '') wrong('handler', 'a path or a file URL', handler);
  return handler;
}

function checkServices(host: unknown): HostServiceTable {
  if (typeof host !== 'object' || host === null) wrong('host', 'an object of functions', host);
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

function checkServerId(serverId: unknown): string {
  if (typeof serverId !== 'string' || serverId === '' || serverId.length > 200)
    wrong('serverId', 'a string of 1 to 200 characters', serverId);
  return serverId;
}
