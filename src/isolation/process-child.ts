/**
 * One child process of a plugin, from this side: its cells by number, what they are doing, and its end.
 *
 *      opened ──▶ lives ──▶ retired ──▶ over        retired: takes no new cell; killed when its last callback has ended
 *                   └──────────────────▶ over        over: told once, every cell with it
 *
 * Watched while callbacks run: a child that is too large, or has not said a word for seconds, is killed from here.
 */
import type { ChildProcess } from 'node:child_process';
import type { Clock } from '../clock.js';
import { type ChildSettings, type FromChild, readFromChild, type ToChild } from '../contract/child.js';
import { type Fault, fault } from '../contract/fault.js';
import { residentSize } from './process-memory.js';
import { type CellListener, createWork, type Held } from './process-work.js';

type Posted = Exclude<ToChild, { type: 'open' | 'start' }>;

export interface Child {
  readonly pid: number;
  /** It takes new cells. */
  readonly open: boolean;
  start(cell: number, listener: CellListener): void;
  has(cell: number): boolean;
  post(message: Posted): void;
  /** The thread's active time as of the last pulse. */
  active(cell: number): number;
  /** A thread of it cannot be stopped: no new cells, idle ones go, and it ends with what still runs. */
  retire(): void;
  kill(): void;
}

export interface ChildOptions {
  launch(): ChildProcess;
  /** How long to wait before that, in ms; what is posted meanwhile is kept. */
  readonly delay: number;
  readonly settings: ChildSettings;
  readonly maxMemoryMb: number;
  readonly clock: Clock;
  /** It is over; `running` callbacks went with it. Not told after `kill()`. */
  crashed(event: { readonly pid: number; readonly running: number; readonly fault: Fault }): void;
  /** Told once, however it ended. */
  over(): void;
}

const watchPeriod = 25;
/** Turns of the watch, not time: a main thread that was blocked, or a machine that slept, has not listened. */
const longestSilence = 200;
const longestRetirement = 10_000;
const mebibyte = 2 ** 20;
/** What a bare child and each of its threads take before the plugin has done anything. */
const ownMb = 96;
const threadMb = 32;

/** How V8 ends a process that it finds no memory for. */
const outOfMemory: readonly (string | null)[] = ['SIGABRT', 'SIGTRAP', 'SIGILL'];

export function createChild({ launch, delay, settings, maxMemoryMb, clock, crashed, over }: ChildOptions): Child {
  let child: ChildProcess | undefined;
  let unsent: ToChild[] = [{ type: 'open', settings }];
  const work = createWork();
  let state: 'lives' | 'retired' | 'over' = 'lives';
  let asked = false;
  let ending: { readonly memory: boolean; readonly why: string } | undefined;
  let silence = 0;
  let told = 0;
  let oversized = 0;
  let disarm: (() => void) | undefined;

  function post(message: ToChild): void {
    if (child === undefined) unsent.push(message);
    else if (state !== 'over' && child.connected) child.send(message, () => {});
  }

  function begin(): void {
    child = launch();
    child.on('message', hear);
    child.once('exit', ended);
    child.once('error', (error) => {
      ending ??= { memory: false, why: error.message };
      ended(null, null);
    });
    hold();
    silence = 0;
    const kept = unsent;
    unsent = [];
    for (const message of kept) post(message);
  }

  /** What is waited for keeps the host's process open, what waits does not. */
  function hold(): void {
    const change = asked || work.awaited() ? 'ref' : 'unref';
    child?.[change]();
    child?.channel?.[change]();
  }

  // ---- in

  function hear(value: unknown): void {
    const message = readFromChild(value);
    if (message === undefined) {
      end(false, 'it sent messages of its own');
      return;
    }
    silence = 0;
    if (message.type === 'pulse') beat(message);
    else hearCell(message, work.cells.get(message.cell));
  }

  function hearCell(message: Exclude<FromChild, { type: 'pulse' }>, held: Held | undefined): void {
    if (held === undefined) return;
    const { listener } = held;
    switch (message.type) {
      case 'reply':
        if (!work.settle(held)) return listener.violated();
        changed();
        listener.reply(message.reply);
        break;
      case 'message':
        listener.message(message.data);
        break;
      case 'stuck':
        listener.stuck(message.run);
        break;
      case 'died':
        listener.died(message.memory, message.fault);
        break;
      case 'gone':
        work.remove(message.cell);
        changed();
        listener.gone();
    }
  }

  function beat({ active, resident }: Extract<FromChild, { type: 'pulse' }>): void {
    told = resident;
    for (const [cell, ms] of active) {
      const held = work.cells.get(cell);
      if (held !== undefined) held.active = ms;
    }
  }

  /** Something more runs there. */
  function begun(): void {
    if (work.running === 1) silence = 0;
    disarm ??= clock.after(watchPeriod, watch);
    hold();
  }

  /** What a message makes of its cell. */
  function note(held: Held, message: Posted): void {
    if (message.type === 'run' && work.begin(held, message.task.type === 'load')) begun();
    if (message.type === 'attend') {
      work.attend(held, message.atWork);
      if (message.atWork) begun();
      else changed();
    }
    if (message.type === 'kill') {
      held.ending = true;
      hold();
    }
  }

  function changed(): void {
    hold();
    if (state === 'retired' && !work.wanted()) end(false, 'one of its threads could not be stopped');
  }

  // ---- watching

  function watch(): void {
    disarm = undefined;
    if (work.running === 0 || state === 'over') return;
    const budget = (maxMemoryMb + ownMb + threadMb * work.cells.size) * mebibyte;
    oversized = (residentSize(child?.pid) ?? told) > budget ? oversized + 1 : 0;
    if (oversized >= 2) end(true, `it grew beyond ${maxMemoryMb} MiB`);
    else if (++silence > longestSilence) end(false, `it did not answer for ${longestSilence * watchPeriod} ms`);
    else disarm = clock.after(watchPeriod, watch);
  }

  // ---- ending

  function end(memory: boolean, why: string): void {
    ending ??= { memory, why };
    if (child === undefined) ended(null, null);
    else child.kill('SIGKILL');
  }

  function ended(code: number | null, signal: string | null): void {
    if (state === 'over') return;
    state = 'over';
    disarm?.();
    const memory = ending?.memory ?? (outOfMemory.includes(signal) || code === 134);
    const how = ending?.why ?? `it ended with ${signal ?? `code ${code}`}`;
    const found = fault(memory ? 'MemoryError' : 'ProcessError', `the plugin's process is gone: ${how}`);
    if (!asked) crashed({ pid: child?.pid ?? 0, running: work.callbacks(), fault: found });
    over();
    const lost = [...work.cells.values()];
    work.clear();
    for (const { listener } of lost) {
      listener.died(memory, found);
      listener.gone();
    }
  }

  const cancel = delay === 0 ? begin() : clock.after(delay, begin);

  return {
    get pid() {
      return child?.pid ?? 0;
    },
    get open() {
      return state === 'lives';
    },
    start(cell, listener) {
      work.add(cell, listener);
      post({ type: 'start', cell });
    },
    post(message) {
      const held = work.cells.get(message.cell);
      if (held !== undefined) note(held, message);
      post(message);
    },
    has: (cell) => work.cells.has(cell),
    active: (cell) => work.cells.get(cell)?.active ?? 0,
    retire() {
      if (state !== 'lives') return;
      state = 'retired';
      for (const { listener } of work.idle())
        listener.died(false, fault('ProcessError', "the plugin's process is being replaced"));
      changed();
      clock.after(longestRetirement, () => state !== 'over' && end(false, 'one of its threads could not be stopped'));
    },
    kill() {
      asked = true;
      cancel?.();
      hold();
      if (state !== 'over') end(false, 'it was asked to');
    },
  };
}
