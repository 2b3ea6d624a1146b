/**
 * A real connection between the official client and a scripted server, with a manual clock and callbacks that end when a test says so.
 * Everything between tap and pool is the real thing; only the pool is played.
 */
import { Client } from '@modelcontextprotocol/client';
import { createAnswer } from '../../src/answer.js';
import type { OwnedConnection } from '../../src/connection/connection.js';
import { createConnection } from '../../src/connection/connection.js';
import type { ClientLike } from '../../src/connection/face.js';
import type { Dropped } from '../../src/connection/link.js';
import type { CallbackKind, ContextData, ElicitationMode, Era, Json, RequestId } from '../../src/contract/handler.js';
import { admit, release } from '../../src/guards/guards.js';
import type { Isolation, KillReason, Outcome, Run, Task } from '../../src/isolation/isolation.js';
import type { InputRecord } from '../../src/journal.js';
import { type Budget, type NanosecondClock, openBudget } from '../../src/limits/bucket.js';
import { createNotifications } from '../../src/notifications/mailbox.js';
import { type LimitOptions, resolveLimits } from '../../src/options.js';
import {
  createManualClock,
  createScriptedServer,
  type ManualClock,
  type Revision,
  type ScriptedServer,
} from '../../src/testing/index.js';

/** One callback that "runs" until the test ends it. */
export interface PlayedRun {
  readonly task: Task & { readonly context: ContextData };
  /** The reason it was killed for. */
  killed: KillReason | undefined;
  /** Returns a value from the callback. */
  returns(value: Json | undefined, state?: { readonly next: Json }): Promise<void>;
  ends(outcome: Outcome): Promise<void>;
}

export interface RigOptions {
  readonly era?: Era;
  readonly revision?: Revision;
  readonly callbacks?: readonly CallbackKind[];
  readonly modes?: readonly ElicitationMode[];
  readonly limits?: LimitOptions;
  readonly assigns?: { readonly [key: string]: unknown };
  readonly capabilities?: { readonly [name: string]: unknown };
  readonly tools?: readonly unknown[];
  /** Default: one that negotiates the era. */
  readonly client?: Client;
  /** Default: one that nobody else spends from. */
  readonly budget?: (clock: NanosecondClock) => Budget;
  /** Called once for the server before the client connects. */
  readonly script?: (server: ScriptedServer) => void;
}

export interface Rig {
  readonly server: ScriptedServer;
  readonly client: Client;
  readonly connection: OwnedConnection;
  readonly clock: ManualClock;
  readonly runs: readonly PlayedRun[];
  readonly records: readonly InputRecord[];
  readonly dropped: readonly Dropped[];
  /** A request of the server whose answer, if any, the test does not wait for. */
  ask(method: string, params?: unknown, options?: { readonly id?: RequestId }): void;
  /** Resolves with the n-th run (from 0) once it has begun. */
  run(n: number): Promise<PlayedRun>;
  close(): Promise<void>;
}

/** Lets everything that is due on the microtask and immediate queues happen. */
export async function settle(turns = 6): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}

let nextId = 100_000;

export async function openRig(options: RigOptions = {}): Promise<Rig> {
  const { era = 'legacy', revision, callbacks = ['sampling', 'elicitation', 'roots'], modes = ['form', 'url'] } = options;
  const clock = createManualClock();
  const runs: PlayedRun[] = [];
  const records: InputRecord[] = [];
  const dropped: Dropped[] = [];
  const server = createScriptedServer({
    era,
    ...(revision !== undefined && { protocolVersion: revision }),
    ...(options.capabilities !== undefined && { capabilities: options.capabilities }),
    ...(options.tools !== undefined && { tools: options.tools }),
  });
  options.script?.(server);
  const client = options.client ?? new Client({ name: 'rig', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const limits = resolveLimits(options.limits ?? {});
  const nanoseconds: NanosecondClock = () => BigInt(Math.round(clock.elapsed() * 1e6));
  const budget = options.budget?.(nanoseconds) ?? openBudget(undefined, nanoseconds);
  const isolation = playedIsolation(callbacks, modes, runs);
  let state: Json | undefined;
  const connection = createConnection({
    id: nextId++,
    serverId: 'rig',
    name: 'host',
    limits,
    clock,
    answer: createAnswer({ guards: { admit, release }, budget, clock, halted: () => false }),
    transport: server.transport as never,
    client: client as unknown as ClientLike,
    assigns: (options.assigns ?? { of: 'connection' }) as never,
    serverOrigin: null,
    state: {
      get: () => state,
      commit: (next) => {
        state = next;
      },
    },
    isolation,
    notifications: () => createNotifications({ consumer: () => isolation.consumer(), clock, report: () => {} }),
    budgetDelay: (rate) => budget.delay('rig', rate),
    opened: () => {},
    closed: () => {},
  });
  connection.on('input', (record) => records.push(record));
  connection.on('dropped', (event) => dropped.push(event));
  await client.connect(server.transport as never);
  return {
    server,
    client,
    connection,
    clock,
    runs,
    records,
    dropped,
    ask: (method, params, how) => void server.request(method, params, how).catch(() => {}),
    async run(n) {
      for (let turn = 0; turn < 1000 && runs[n] === undefined; turn++) await settle(1);
      const run = runs[n];
      if (run === undefined) throw new Error(`callback ${n} did not begin; ${runs.length} did`);
      return run;
    },
    close: () => connection.close(),
  };
}

function playedIsolation(
  callbacks: readonly CallbackKind[],
  elicitationModes: readonly ElicitationMode[],
  runs: PlayedRun[],
): Isolation {
  const description = { callbacks, elicitationModes };
  return {
    description,
    run: (task) => play(task, runs),
    consumer: () => Promise.reject(new Error('no consumer is played')),
    reload: async () => description,
    stats: () => ({ tier: 'inline', cells: 0, busy: 0, spares: 0, undead: 0, kills: 0, crashes: 0, completed: 0 }),
    close: async () => {},
  };
}

function play(task: Task, runs: PlayedRun[]): Run {
  let end: (outcome: Awaited<Run['outcome']>) => void = () => {};
  const outcome: Run['outcome'] = new Promise((resolve) => {
    end = resolve;
  });
  const finish = (how: Outcome): void => end({ ...how, times: { queued: 0, run: 0 }, threadId: runs.length });
  const run: PlayedRun = {
    task: task as PlayedRun['task'],
    killed: undefined,
    async returns(value, state) {
      finish(state === undefined ? { type: 'returned', value } : { type: 'returned', value, state });
      await settle();
    },
    async ends(how) {
      finish(how);
      await settle();
    },
  };
  runs.push(run);
  return {
    outcome,
    kill(reason) {
      run.killed ??= reason;
      finish({ type: 'killed', reason });
    },
  };
}
