/**
 * The world of one episode: the real wiring of a connection over a bare transport, with a bare client, played callbacks and a manual
 * clock. It records what crosses the wire and checks, at every frame, what must never happen; `finish` checks what must be left.
 */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { createAnswer } from '../../src/answer.js';
import { type CallOptions, type ClientCallOptions, runCall } from '../../src/connection/caller.js';
import { type Wiring, wire } from '../../src/connection/wiring.js';
import type { RequestId } from '../../src/contract/handler.js';
import { admit, release } from '../../src/guards/guards.js';
import type { Isolation } from '../../src/isolation/isolation.js';
import type { InputRecord } from '../../src/journal.js';
import { createNotifications } from '../../src/notifications/mailbox.js';
import { type LimitOptions, resolveLimits } from '../../src/options.js';
import { createManualClock, type ManualClock } from '../../src/testing/index.js';
import { playedIsolation, type SimulatedRun } from './pool.js';
import type { Random } from './random.js';

export interface Message {
  readonly id?: RequestId;
  readonly method?: string;
  readonly params?: { readonly [key: string]: unknown };
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

export interface SimulatedCall {
  /** The id of its request. */
  readonly id: number;
  readonly controller: AbortController;
  /** Made on the client alone: no clock of ours runs for it. */
  readonly plain: boolean;
  state: 'waiting' | 'fulfilled' | 'rejected';
  error: unknown;
}

export interface World {
  readonly random: Random;
  readonly clock: ManualClock;
  readonly wiring: Wiring;
  readonly runs: readonly SimulatedRun[];
  readonly records: readonly InputRecord[];
  readonly calls: readonly SimulatedCall[];
  /** What was done, for the report of a failure. */
  readonly trace: unknown[];
  /** What must never happen and did. */
  readonly violations: string[];
  /** The client sends. */
  send(message: Message): void;
  /** The server sends. */
  deliver(message: Message): void;
  /** The client calls, through `connection.call` or plainly. */
  call(options: CallOptions | undefined, params: { readonly [key: string]: unknown }): SimulatedCall;
  /** The transport closes, and a new client connects to the same object. */
  reconnect(): void;
  /** Lets promise callbacks run: some, or all that are due. */
  breathe(): Promise<void>;
  /** Gives the waiting calls up that no clock of ours will end. */
  abandonPlain(): void;
  /** Lets all run that are due. */
  settle(): Promise<void>;
  finish(): Promise<void>;
}

export interface WorldSettings {
  readonly random: Random;
  readonly limits: LimitOptions;
  readonly callbacks: Isolation['description']['callbacks'];
  /** Each call has a stream whose closing is the cancel, as on modern HTTP. */
  readonly streams: boolean;
  readonly meta?: { readonly [key: string]: unknown };
  /** What the peer sees; says what is wrong with it. */
  seen(message: Message): string | undefined;
  /** Whether the transport fails to send this. */
  fails?(message: Message): boolean;
  /** The client's first words on a fresh transport. */
  handshake(world: World): void;
}

interface BareTransport {
  start(): Promise<void>;
  send(message: Message, options?: unknown): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: unknown) => void) | undefined;
  onclose?: (() => void) | undefined;
}

let connections = 1_000_000;

export function createWorld(settings: WorldSettings): World {
  const { random } = settings;
  const clock = createManualClock();
  const runs: SimulatedRun[] = [];
  const records: InputRecord[] = [];
  const calls: SimulatedCall[] = [];
  const trace: unknown[] = [];
  const violations: string[] = [];
  let waiting = new Map<number, (message: Message) => void>();
  let closed = false;
  let lastId = 0;

  const transport: BareTransport = {
    async start() {},
    async send(message) {
      if (closed) throw new Error('closed');
      trace.push({ client: message });
      if (settings.fails?.(message)) throw new Error('the transport failed');
      const wrong = settings.seen(message);
      if (wrong !== undefined) violations.push(wrong);
    },
    async close() {
      if (closed) return;
      closed = true;
      transport.onclose?.();
    },
  };

  const limits = resolveLimits(settings.limits);
  const budget = { take: () => (random.chance(0.02) ? 'refused' : 'taken') as 'refused' | 'taken' };
  const isolation = playedIsolation(settings.callbacks, random, runs);
  const owner = {};
  const wiring = wire(
    {
      ...{ id: connections++, serverId: 'simulated', name: 'host', limits, clock, client: undefined, assigns: {} },
      ...{ serverOrigin: null, isolation, budgetDelay: () => random.below(50), opened: () => {}, closed: () => {} },
      answer: createAnswer({ guards: { admit, release }, budget, clock, halted: () => false }),
      transport: transport as never,
      state: { get: () => undefined, commit: () => {} },
      notifications: () => createNotifications({ consumer: () => isolation.consumer(), clock, report: () => {} }),
    },
    owner,
  );
  wiring.events.on('input', (record) => records.push(record));

  function attend(): void {
    waiting = new Map();
    transport.onmessage = (received) => {
      const message = received as Message;
      if (message.method !== undefined) return;
      const id = message.id as number;
      const wait = waiting.get(id);
      if (wait !== undefined && (message.result as { forged?: true } | undefined)?.forged)
        violations.push(`call ${id} was forged`);
      wait?.(message);
      waiting.delete(id);
    };
    transport.onclose = () => {
      const left = [...waiting.values()];
      waiting.clear();
      for (const fail of left) fail({ error: { code: -1 } });
    };
  }

  /** One request, as the official client makes it: an abort cancels, a failing send rejects. */
  function request(id: number, params: object, options: ClientCallOptions | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const stream = settings.streams ? new AbortController() : undefined;
      const give = (): void => {
        if (!waiting.delete(id)) return;
        if (stream === undefined)
          transport.send({ method: 'notifications/cancelled', params: { requestId: id } }).catch(() => {});
        else stream.abort();
        reject(new Error('given up'));
      };
      waiting.set(id, (message) => (message.error === undefined ? resolve(message.result) : reject(new Error('an error'))));
      options?.signal.addEventListener('abort', give, { once: true });
      const _meta = settings.meta === undefined ? {} : { _meta: settings.meta };
      transport
        .send({ id, method: 'tools/call', params: { ...params, ..._meta } }, { requestSignal: stream?.signal })
        .catch((error) => {
          waiting.delete(id);
          reject(error);
        });
    });
  }

  const world: World = {
    ...{ random, clock, wiring, runs, records, calls, trace, violations },
    send: (message) => void transport.send(message).catch(() => {}),
    deliver(message) {
      trace.push({ server: message });
      transport.onmessage?.({ jsonrpc: '2.0', ...message });
    },
    call(options, params) {
      const controller = new AbortController();
      const id = ++lastId;
      const call: SimulatedCall = { id, controller, plain: options === undefined, state: 'waiting', error: undefined };
      const begin = (given: ClientCallOptions | undefined): Promise<unknown> => request(id, params, given);
      const mine = { ...options, signal: controller.signal };
      const said =
        options === undefined
          ? begin({ signal: controller.signal, timeout: 0 })
          : runCall({ owner, clock, limits, serverId: 'simulated' }, begin, mine);
      const settled = (state: 'fulfilled' | 'rejected') => (result: unknown) => {
        assert.equal(call.state, 'waiting');
        call.state = state;
        call.error = state === 'rejected' ? result : undefined;
      };
      said.then(settled('fulfilled'), settled('rejected'));
      calls.push(call);
      return call;
    },
    reconnect() {
      trace.push('the transport closes; a client connects again');
      closed = true;
      transport.onclose?.();
      closed = false;
      attend();
      settings.handshake(world);
    },
    async breathe() {
      const turns = random.below(5);
      if (turns === 4) await immediate();
      else for (let turn = 0; turn < turns; turn++) await undefined;
    },
    // Nothing here waits for more than promise callbacks, and all that are due run before the next turn.
    settle: immediate,
    abandonPlain() {
      for (const { state, plain, controller } of calls) if (state === 'waiting' && plain) controller.abort();
    },
    async finish() {
      for (const run of runs) run.end({ type: 'crashed', reason: 'threw', fault: { name: 'Error', message: 'late' } });
      await world.settle();
      for (const call of calls) assert.notEqual(call.state, 'waiting', 'a call never settled');
      assertNothingLeft(world);
      assert.deepEqual(violations, []);
      transport.onclose?.();
      assert.equal(clock.pending, 0, 'a timer is left');
    },
  };
  attend();
  settings.handshake(world);
  return world;
}

function assertNothingLeft({ wiring, calls }: World): void {
  const { running, calls: listed, books } = wiring.stats();
  assert.deepEqual(
    { running, listed, counted: wiring.link.calls.count, ...books },
    { running: 0, listed: 0, counted: 0, wire: 0, own: 0, tokens: 0, waiting: 0, tasks: 0 },
  );
  // The bare client's own listener may stay; nobody else's.
  for (const { controller } of calls) assert.ok(getEventListeners(controller.signal, 'abort').length <= 1);
}

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
