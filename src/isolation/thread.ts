/**
 * The thread carrier: each cell is a Piscina of exactly one thread, which lives as long as its cell and is never replaced
 * inside its pool.
 *
 * Piscina's own queue, respawn and idle clock stay unused: the dispatcher hands over one task at a time and decides what starts
 * when. With `minThreads: 1` Piscina would start a replacement in the same breath as a kill, on the core that the next callback
 * needs. Killing is `destroy()`, so that no task needs an abort signal.
 *
 * Piscina carries one task, which loads the module; callbacks and their replies travel over the cell's own port. That saves two
 * fifths of a call (its bookkeeping of tasks cost 12 us of the main thread), and puts replies in one order with host calls and output.
 */
import { type MessagePort, receiveMessageOnPort, type Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { createClaim } from '../contract/claim.js';
import { fault, toFault } from '../contract/fault.js';
import type { RunnerTask } from '../contract/messages.js';
import type { ThreadSettings } from '../threads.js';
import type { Carrier, Cell, CellEvents, Death } from './cell.js';
import { ownFile } from './own-file.js';

const mebibyte = 2 ** 20;

/** Which runner, and what it is told. */
export interface Runner {
  readonly tier: Carrier['tier'];
  readonly workerData: unknown;
}

const plain: Runner = { tier: 'thread', workerData: undefined };
/** The runner of handler modules, told to load nothing unless the permission model holds. */
export const confinedRunner: Runner = { tier: 'thread', workerData: { confined: true } };

export function createThreadCarrier(settings: ThreadSettings, { tier, workerData }: Runner = plain): Carrier {
  const options = { ...poolOptions(settings), name: tier, workerData };
  return { tier, start: (events) => startCell(new Piscina(options), events), close: async () => {} };
}

type PoolOptions = NonNullable<ConstructorParameters<typeof Piscina>[0]>;

function poolOptions({ env, execArgv, memoryBudget, resourceLimits }: ThreadSettings): PoolOptions {
  return {
    filename: ownFile('pool.cjs'),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: Number.POSITIVE_INFINITY,
    concurrentTasksPerWorker: 1,
    stricterFIFO: true,
    atomics: 'disabled',
    recordTiming: false,
    env: { ...env },
    execArgv: [...execArgv],
    // Far above the budget, so that the memory watch sees a bomb before V8 does, which may abort the whole process.
    resourceLimits: { maxOldGenerationSizeMb: Math.max(1024, Math.ceil((memoryBudget / mebibyte) * 3)), ...resourceLimits },
  };
}

function startCell(pool: Piscina, events: CellEvents): Cell {
  let worker: Worker | undefined;
  let port: MessagePort | undefined;
  let pending: ((reply: unknown) => void) | undefined;
  let over = false;
  /** Node 20 and 22 abort the whole process where a thread is ended while `require` links an ES module, so it loads to the end. */
  let loading = false;
  /** The module has loaded and the port is still on its way: the two do not come in order. */
  let loaded: (() => void) | undefined;
  const claim = createClaim();
  let last: ((data: unknown) => void) | undefined;

  function die(death: Death): void {
    if (over) return;
    hearRest();
    if (over) return;
    over = true;
    release();
    events.died(death);
  }

  function release(): void {
    if (last === undefined) port?.close();
    void pool.destroy();
  }

  /** What the thread sent before its end, in one go: nothing more can come. */
  function hearRest(): void {
    if (port === undefined || (over && last === undefined)) return;
    for (let rest = receiveMessageOnPort(port); rest !== undefined; rest = receiveMessageOnPort(port)) hear(rest.message);
  }

  /** Piscina makes the thread when the first task arrives. */
  function attach(): Worker | undefined {
    const made = pool.threads[0];
    made?.once('error', (error) => die(deathBy(error)));
    made?.once('exit', (code) => {
      die({ reason: 'exit', fault: fault('ExitError', `the thread exited with code ${code}`) });
      hearRest();
      port?.close();
      events.gone();
    });
    return made;
  }

  pool.on('error', (error: unknown) => die(deathBy(error)));
  pool.on('message', (message: unknown) => {
    const sent = (message as { port?: MessagePort } | null)?.port;
    if (port !== undefined || over || typeof sent?.postMessage !== 'function') {
      if (!over) events.violated();
      return;
    }
    port = sent;
    port.on('message', hear);
    // The thread ends on its own, and its port no longer holds the process: its exit must still be heard.
    port.on('close', () => over || worker?.ref());
    // A running task holds the process open; a cell that waits must not.
    port.unref();
    if (loaded === undefined) return;
    worker?.unref();
    loaded();
  });

  function hear(data: unknown): void {
    if (over) {
      last?.(data);
      return;
    }
    const settle = pending;
    const reply = settle === undefined ? undefined : replyIn(data);
    if (settle === undefined || reply === undefined) {
      events.message(data);
      return;
    }
    pending = undefined;
    port?.unref();
    settle(reply);
  }

  /** The first task of a cell loads its module, and starts the thread. */
  function begin(task: RunnerTask, settle: (reply: unknown) => void): void {
    loading = true;
    pool.run({ ...task, claim: claim.word }).then(
      (reply) => {
        loading = false;
        loaded = () => settle(reply);
        if (over) release();
        else if (port !== undefined) loaded();
        else worker?.ref();
      },
      (error) => die(deathBy(error)),
    );
    worker ??= attach();
  }

  return {
    get threadId() {
      return worker?.threadId ?? 0;
    },
    run(task, settle) {
      if (port === undefined) return begin(task, settle);
      pending = settle;
      if (task.type === 'run') claim.offer(task.run);
      port.ref();
      try {
        port.postMessage(task);
      } catch (error) {
        die(deathBy(error));
      }
    },
    revoke: (run) => claim.revoke(run),
    send: (message) => over || port?.postMessage(message),
    active: () => worker?.performance.eventLoopUtilization().active ?? 0,
    kill(hearLast) {
      if (over) return;
      over = true;
      last = hearLast;
      // Where the platform refused the thread, destroying the pool would reject the task that still waits for one: unheard.
      if (worker === undefined) queueMicrotask(events.gone);
      else if (!loading) release();
    },
    disown() {
      worker?.unref();
      if (loading) release();
    },
  };
}

/** The reply in a message, unchecked; undefined where the message is none. */
function replyIn(data: unknown): unknown {
  if (typeof data === 'string') return data;
  const { type, reply } = (data ?? {}) as { type?: unknown; reply?: unknown };
  return type === 'reply' ? reply : undefined;
}

function deathBy(error: unknown): Death {
  const found = toFault(error);
  return { reason: found.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'lost', fault: found };
}
