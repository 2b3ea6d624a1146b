/**
 * The composition root: options in, rooms wired, connections out, everything closed at the end.
 *
 * One bulkhead has one budget and one place where callbacks run; a connection with a `handler` of its own gets another place.
 */
import type { Client } from '@modelcontextprotocol/client';
import { createAnswer } from './answer.js';
import { boolean, wrong } from './checks.js';
import { snapshotAssigns } from './connection/assigns.js';
import { connectClient, defaultClientInfo, introduce, makeClient } from './connection/client.js';
import { createConnection, type OwnedConnection } from './connection/connection.js';
import { createEmitter } from './connection/events.js';
import { type ClientLike, type Connection, isClient } from './connection/face.js';
import { createStates } from './connection/state.js';
import { isTapped } from './connection/tap.js';
import { isTransport, openTarget, type Target } from './connection/target.js';
import type { TransportLike } from './connection/wire.js';
import { advertise, type InputCapabilities } from './era/capabilities.js';
import { BulkheadError } from './errors.js';
import { admit, release } from './guards/guards.js';
import { debuggerAttached } from './isolation/debug.js';
import type { HostServiceTable, IsolationEvents, IsolationStats, Stray } from './isolation/isolation.js';
import type { NotificationsEvent } from './notifications/mailbox.js';
import { pickLimits, resolveLimits } from './options.js';
import { createPlaces } from './places.js';
import { hurry, plugIn } from './plug.js';
import {
  type AttachOptions,
  type BulkheadOptions,
  type ConnectionOptions,
  type ConnectOptions,
  checkHandler,
  checkServerId,
  connectionNames,
  resolveSettings,
} from './settings.js';

export type BulkheadEvents = {
  /** A line that a callback printed. Without a listener it goes to stderr, never to stdout. */
  output: Parameters<IsolationEvents['output']>;
  /** A thread outlived its termination, or at last died. */
  undead: Parameters<IsolationEvents['undead']>;
  stray: readonly [event: Stray];
  /** A plugin's process ended without being asked to. A spare stood ready. */
  crashed: Parameters<NonNullable<IsolationEvents['crashed']>>;
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
  connect(target: Target, options: ConnectOptions): Promise<Connection<Client>>;
  /** Patches a transport in place, before your own client is connected to it. Throws `options`. */
  attach<C extends ClientLike | undefined = undefined>(transport: TransportLike, options: AttachOptions<C>): Connection<C>;
  on<Name extends keyof BulkheadEvents>(name: Name, listener: (...args: BulkheadEvents[Name]) => void): () => void;
  /**
   * Loads the handler modules anew: new requests use them, running ones finish on the old. Rejects with `load` and keeps the old, or
   * with `closed`. With `inline` a module is loaded anew, but not what it imports: the main thread keeps that.
   */
  reload(): Promise<void>;
  stats(): BulkheadStats;
  /** Closes all connections and threads. `wait`: when what runs has ended; default: at once. */
  close(options?: { readonly wait?: boolean }): Promise<void>;
}

let connectionCount = 0;

/** Loads the handler module in a worker, describes it, and gives the runtime. Rejects with `options` or `load`. */
export async function createBulkhead<Services extends HostServiceTable = HostServiceTable>(
  options: BulkheadOptions<Services> = {},
): Promise<Bulkhead> {
  const settings = await plugIn(resolveSettings(options), options);
  const { limits, name, clock, budget, debug, pluginTimeout } = settings;
  const events = createEmitter<BulkheadEvents>(['output', 'undead', 'stray', 'crashed', 'consumer']);
  const open = new Set<OwnedConnection>();
  const states = createStates();
  const halted = (): boolean => debug && debuggerAttached();
  const answer = createAnswer({ guards: { admit, release }, budget, clock, halted });
  // A handler module of a connection's own is no plugin.
  const { plugin, ...rest } = settings.isolation;
  const withoutPlugin = plugin === undefined ? rest : { ...rest, tier: 'thread' as const };
  const places = createPlaces(
    (handler) => ({ ...(handler === undefined ? settings.isolation : withoutPlugin), handler, events: isolationEvents }),
    clock,
    { report: (event) => events.emit('consumer', event), halted },
  );
  let closed = false;

  const isolationEvents: IsolationEvents = {
    output(event) {
      if (events.has('output')) events.emit('output', event);
      else process.stderr.write(`[${event.serverId ?? 'handler'}] ${event.line}\n`);
    },
    undead: (event) => events.emit('undead', event),
    crashed: (event) => events.emit('crashed', event),
    stray(event) {
      events.emit('stray', event);
      for (const connection of open) if (connection.serverId === event.serverId) connection.stray(event);
    },
  };

  const home = await places.at(settings.handler);

  function openConnection<C extends ClientLike | undefined>(
    transport: TransportLike,
    client: C,
    given: ConnectionOptions,
    origin: string | null,
    others: readonly string[],
  ): OwnedConnection<C> {
    if (closed) throw new BulkheadError('closed', 'the bulkhead is closed');
    if (isTapped(transport)) wrong('transport', 'one that is not attached already', transport);
    if (client !== undefined && !isClient(client)) wrong('client', 'an official client', client);
    if (client !== undefined && (client as { transport?: unknown }).transport === transport)
      wrong('client', 'one that is connected after attach(), since the handshake tells what is advertised', client);
    const named = resolveLimits(pickLimits(given, [...connectionNames, ...others]), limits);
    const connectionLimits = given.handler === undefined ? hurry(named, pluginTimeout) : named;
    const serverId = checkServerId(given.serverId);
    const state = states.open(serverId);
    const connection: OwnedConnection<C> = createConnection<C>({
      id: ++connectionCount,
      serverId,
      name,
      limits: connectionLimits,
      clock,
      answer,
      transport,
      client,
      assigns: snapshotAssigns(given.assigns) ?? {},
      serverOrigin: connectionLimits.elicitation.origin ?? origin,
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
    attach<C extends ClientLike | undefined>(transport: TransportLike, given: AttachOptions<C>) {
      if (!isTransport(transport)) wrong('transport', 'an object with start(), send() and close()', transport);
      return openConnection(transport, given?.client as C, given, null, ['client']);
    },
    async connect(target, given) {
      const { timeout } = resolveLimits(pickLimits(given, [...connectionNames, 'clientInfo', 'clientOptions']), limits);
      const { transport, origin } = await openTarget(target);
      const { handler, clientInfo = defaultClientInfo(name), clientOptions } = given;
      const client = await makeClient(clientInfo, clientOptions);
      // First, since the client would wrap the error of one that does not load.
      if (handler !== undefined) await places.at(checkHandler(handler));
      const connection = openConnection(transport, client, given, origin, ['clientInfo', 'clientOptions']);
      try {
        await connectClient(client, transport, { timeout });
        if (connection.era === undefined) await introduce(client, { timeout });
      } catch (error) {
        await connection.close().catch(() => {});
        throw error;
      }
      return connection;
    },
    on: events.on,
    async reload() {
      if (closed) throw new BulkheadError('closed', 'the bulkhead is closed');
      await places.reload();
    },
    stats: () => ({ connections: open.size, isolation: places.list().map((isolation) => isolation.stats()) }),
    async close(options) {
      // Whatever else it is handed, as a listener of a signal is: not to close would be worse.
      const wait = boolean('close.wait', options?.wait, false);
      if (closed) return;
      closed = true;
      if (wait) await places.close('wait');
      // Sessions end at once. The threads wait for no transport: one may take seconds to close, or for ever.
      const sessions = [...open].map((connection) => connection.close());
      await Promise.allSettled([...sessions, places.close('kill')]);
    },
    [Symbol.asyncDispose]: () => bulkhead.close(),
  };
  return bulkhead;
}
