/**
 * Cells that do what a test says, and a dispatcher over them with a clock turned by hand.
 */
import { after } from 'node:test';
import type { CallTask, RunnerTask, ToRunner } from '../../src/contract/messages.js';
import type { Carrier, CellEvents } from '../../src/isolation/cell.js';
import { createDispatcher, type Dispatcher } from '../../src/isolation/dispatcher.js';
import type { HostServiceTable, Outcome, Settled, Task } from '../../src/isolation/isolation.js';
import type { Memory } from '../../src/isolation/watch.js';
import { createManualClock, type ManualClock } from '../../src/testing/index.js';
import { defaultThreads, type ThreadSettings } from '../../src/threads.js';
import { type Heard, hearing, task } from './given.js';

export class FakeCell {
  readonly events: CellEvents;
  readonly threadId: number;
  readonly sent: ToRunner[] = [];
  task: RunnerTask | undefined;
  killed = false;
  disowned = false;
  activeTime = 0;
  /** Whether a task that was handed over is taken at once. */
  takes = true;
  #settle: ((reply: unknown) => void) | undefined;

  constructor(events: CellEvents, threadId: number) {
    this.events = events;
    this.threadId = threadId;
  }

  hand(task: RunnerTask, settle: (reply: unknown) => void): void {
    this.task = task;
    this.#settle = settle;
  }

  get call(): CallTask {
    if (this.task?.type !== 'run') throw new Error('this cell runs no callback');
    return this.task;
  }

  reply(reply: unknown): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(reply);
  }

  loads(): void {
    this.reply({ type: 'loaded', description: { callbacks: ['elicitation'], elicitationModes: ['form'] } });
  }

  fails(message: string): void {
    this.reply({ type: 'crashed', reason: 'load', fault: { name: 'Error', message } });
  }

  returns(value: unknown): void {
    this.reply({ type: 'returned', json: JSON.stringify(value), state: undefined });
  }
}

export interface Stand extends Heard {
  readonly dispatcher: Dispatcher;
  readonly clock: ManualClock;
  /** All cells that were ever started, in order. */
  readonly cells: FakeCell[];
  /** Cells that were started and neither loaded, killed nor failed. */
  starting(): FakeCell[];
  /** Loads every cell that is starting, also those that start because of it. */
  loadAll(): Promise<void>;
  /** The cell that runs a callback of this server. */
  running(serverId: string): FakeCell;
}

export interface StandOptions {
  readonly threads?: Partial<ThreadSettings>;
  readonly services?: HostServiceTable;
  readonly memory?: Memory;
  readonly debugged?: () => boolean;
  /** Thrown by the platform when a cell is to start. */
  readonly refuses?: () => Error | undefined;
}

const noMemory: Memory = { resident: () => 0, own: () => 0 };

export function stand({ threads, services = {}, memory = noMemory, debugged = () => false, refuses }: StandOptions = {}): Stand {
  const clock = createManualClock();
  const heard = hearing();
  const cells: FakeCell[] = [];
  const carrier: Carrier = {
    tier: 'thread',
    start(events) {
      const refused = refuses?.();
      if (refused !== undefined) throw refused;
      const cell = new FakeCell(events, cells.length + 1);
      cells.push(cell);
      return {
        threadId: cell.threadId,
        run: (task, settle) => cell.hand(task, settle),
        send: (message) => void cell.sent.push(message),
        revoke: () => !cell.takes,
        active: () => cell.activeTime,
        kill: () => {
          cell.killed = true;
        },
        disown: () => {
          cell.disowned = true;
        },
      };
    },
    close: async () => {},
  };
  const dispatcher = createDispatcher({
    ...{ carrier, services, clock, memory, debugged, events: heard.events, url: 'file:///handler.js', loadTimeout: 10_000 },
    threads: { ...defaultThreads, ...threads },
  });
  // A callback that still waits would hold the test's process open.
  after(() => void dispatcher.close('kill'));
  const starting = () => cells.filter(({ task, killed }) => task?.type === 'load' && !killed);
  return {
    ...heard,
    ...{ dispatcher, clock, cells, starting },
    async loadAll() {
      for (let found = starting(); found.length > 0; found = starting()) {
        for (const cell of found) {
          cell.loads();
          if (cell.task?.type === 'load') cell.task = undefined;
        }
        await settled();
      }
    },
    running(serverId) {
      const found = cells.findLast(({ task, killed }) => !killed && task?.type === 'run' && task.context.serverId === serverId);
      if (found === undefined) throw new Error(`nothing of ${serverId} runs`);
      return found;
    },
  };
}

/** A dispatcher whose first cell and spares are loaded. */
export async function openStand(options: StandOptions = {}): Promise<Stand> {
  const made = stand(options);
  const loading = made.dispatcher.load();
  await made.loadAll();
  await loading;
  await made.loadAll();
  return made;
}

/** A task of this server. */
export function of(serverId: string, more: Partial<Task> = {}): Task {
  return task({ any: 1 }, { serverId, ...more });
}

/** An outcome without its record. */
export function bare({ times, threadId, ...outcome }: Settled): Outcome {
  return outcome;
}

/** Lets promise callbacks run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
