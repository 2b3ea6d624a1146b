/**
 * Wires the parts of one connection, and keeps the life of the session on its transport.
 *
 *      idle ──first message──▶ open ──transport closes──▶ ending ──books empty──▶ idle        (any) ──shut──▶ shut
 *
 * Closing a session empties every book: callbacks die, calls and own requests fail with `closed`, the mailbox is dropped.
 */
import { advertise } from '../era/capabilities.js';
import { BulkheadError } from '../errors.js';
import { createEmptyIsolation } from '../isolation/empty.js';
import type { Isolation } from '../isolation/isolation.js';
import { createLogLimit } from '../limits/logs.js';
import { currentTicket, outsideCalls } from './caller.js';
import { createCalls } from './calls.js';
import { createCompletions } from './completions.js';
import { createEmitter, type Emitter } from './events.js';
import type { ConnectionEvents, ConnectionStats } from './face.js';
import { createInbox } from './inbox.js';
import { createLazyMailbox } from './lazy-mailbox.js';
import { createLegacyTasks } from './legacy-tasks.js';
import type { Link } from './link.js';
import { createRootsNotice, type RootsNotice } from './notice.js';
import { createOwnRequests, type OwnRequests } from './own.js';
import { createProgressBook } from './progress.js';
import { createReceiving } from './receiving.js';
import { createRequests } from './requests.js';
import { createRounds } from './rounds.js';
import { createSending } from './sending.js';
import { createSession } from './session.js';
import type { ConnectionSettings } from './settings.js';
import { createSlots } from './slots.js';
import { createTally } from './tally.js';
import { installTap } from './tap.js';
import { isCancel } from './wire.js';

export interface Wiring {
  readonly link: Link;
  readonly own: OwnRequests;
  readonly events: Emitter<ConnectionEvents>;
  readonly rootsNotice: RootsNotice;
  stats(): ConnectionStats;
  /** Ends the session for good: callbacks die at once, however long the transport takes to close. */
  shut(): void;
  /** Gives the transport its members back. */
  remove(): void;
}

/** Answers while a handler is loading. */
const nobody: Isolation = createEmptyIsolation('inline');

export function wire(settings: ConnectionSettings, owner: object): Wiring {
  const { serverId, limits, clock, transport } = settings;
  const events = createEmitter<ConnectionEvents>(['notification', 'log', 'input', 'dropped', 'stray', 'fault', 'close']);
  const tally = createTally(events);
  let isolation = settings.isolation instanceof Promise ? undefined : settings.isolation;
  let loading = settings.isolation instanceof Promise ? settings.isolation : undefined;
  let life: 'idle' | 'open' | 'ending' | 'shut' = 'idle';
  loading?.then(
    (loaded) => {
      isolation = loaded;
      loading = undefined;
    },
    () => {}, // whoever sends first gets the load error
  );

  const isolationNow = (): Isolation => isolation ?? nobody;
  const session = createSession({
    limits,
    capabilities: (era) => advertise(isolationNow().description, limits, era),
    warn: (kinds) =>
      process.emitWarning(
        `the client of server "${serverId}" was built with other capabilities for ${kinds.join(', ')} than its handler answers; the handler's are advertised`,
        { code: 'MCP_BULKHEAD_CAPABILITIES' },
      ),
  });

  const tap = installTap(transport, {
    async outbound(message, options) {
      if (loading !== undefined) await loading;
      // A client gives up what we have closed: the server is gone, or knows.
      if (life === 'ending' || life === 'shut') return isCancel(message) ? undefined : tap.send(message, options);
      begin();
      const notice = rootsNotice.send();
      if (notice !== undefined) await notice;
      return send(message, options);
    },
    inbound(message, extra, related) {
      // What trails in when the books are closed belongs to nobody.
      if (life === 'ending' || life === 'shut' || !tap.attended) return;
      begin();
      outsideCalls(() => receive(message, extra, related));
    },
    closed: end,
  });
  const own = createOwnRequests(tap, session, clock, serverId);
  const link: Link = {
    id: settings.id,
    serverId,
    client: settings.name,
    limits,
    clock,
    assigns: settings.assigns,
    serverOrigin: settings.serverOrigin,
    answer: settings.answer,
    session,
    calls: createCalls(clock.elapsed),
    slots: createSlots(limits.maxServerRequests),
    tap,
    state: settings.state,
    isolation: isolationNow,
    tasks: createLegacyTasks(),
    budgetDelay: settings.budgetDelay,
    expectCompletion: (id) => completions.expect(id),
    dropped: tally.dropped,
    recorded: tally.recorded,
    request: (method, params, { spell, timeout = limits.timeout } = {}) => own.send(method, params, timeout, spell),
    waits: own.waits,
    nextId: own.nextId,
  };
  const rootsNotice = createRootsNotice(link);
  const requests = createRequests(link);
  const completions = createCompletions(link);
  const progress = createProgressBook(own.nextId);
  const rounds = createRounds(link);
  const mailbox = createLazyMailbox({ settings, link, events, isOpen: () => life === 'open' && isolation !== undefined });
  const inbox = createInbox({
    link,
    requests,
    completions,
    progress,
    logLimit: createLogLimit(limits.logRateLimit, clock),
    mailbox,
    onLog: (entry) => events.emit('log', entry),
    onNotification: (method, params) => events.emit('notification', method, params),
  });
  const send = createSending({ link, progress, requests, ticket: () => currentTicket(owner) });
  const receive = createReceiving({ link, own, requests, rounds, completions, inbox });

  function begin(): void {
    if (life !== 'idle') return;
    life = 'open';
    const { sessionId, protocolVersion } = transport as { sessionId?: unknown; protocolVersion?: unknown };
    // Only legacy servers have sessions; a client that takes one up again sends no handshake.
    if (sessionId !== undefined) session.resumed(protocolVersion);
    settings.opened();
  }

  function end(): void {
    if (life !== 'open') return;
    life = 'ending';
    const error = new BulkheadError('closed', 'the connection is closed', { serverId });
    requests.close();
    for (const call of link.calls.list()) {
      call.ticket?.abandon(error);
      link.calls.close(call, 'closed');
    }
    own.close();
    rootsNotice.clear();
    completions.clear();
    inbox.close();
    link.tasks.clear();
    mailbox.close();
    session.reset();
    life = 'idle';
    settings.closed();
    events.emit('close');
  }

  return {
    link,
    own,
    events,
    rootsNotice,
    stats: () => ({
      era: session.era,
      calls: link.calls.list().length,
      running: link.slots.taken,
      ...tally.counts(),
      books: {
        wire: link.calls.wired,
        own: own.pending,
        tokens: progress.tokens,
        waiting: link.slots.waiting,
        tasks: link.tasks.size,
      },
      notifications: mailbox.stats(),
    }),
    shut() {
      end();
      life = 'shut';
    },
    remove: tap.remove,
  };
}
