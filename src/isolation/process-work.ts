/**
 * What the cells of one child process are doing: a task, notifications, or ending.
 *
 * Invariant: `running` is the number of cells that run a task plus the number of cells that run notifications.
 */
import type { Fault } from '../contract/fault.js';

/** What a child tells about one of its cells. */
export interface CellListener {
  reply(reply: unknown): void;
  message(data: unknown): void;
  violated(): void;
  stuck(run: number): void;
  died(memory: boolean, fault: Fault): void;
  gone(): void;
}

/** One cell of the child, with whom to tell about it. */
export interface Held {
  readonly listener: CellListener;
  /** It runs a task. */
  busy: boolean;
  /** That task loads the plugin. */
  loads: boolean;
  /** It runs notifications. */
  attended: boolean;
  /** It was told to end. */
  ending: boolean;
  /** Its thread's active time as of the last pulse. */
  active: number;
}

export interface Work {
  readonly cells: ReadonlyMap<number, Held>;
  readonly running: number;
  add(cell: number, listener: CellListener): void;
  remove(cell: number): void;
  clear(): void;
  /** True if it was not running a task. */
  begin(held: Held, loads: boolean): boolean;
  /** True if it was running a task. */
  settle(held: Held): boolean;
  attend(held: Held, atWork: boolean): void;
  /** Whether something is under way that the host waits for. Notifications are watched like tasks, but nobody waits for them. */
  awaited(): boolean;
  /** Whether anything runs that was not told to end. */
  wanted(): boolean;
  idle(): readonly Held[];
  /** How many callbacks run. */
  callbacks(): number;
}

export function createWork(): Work {
  const cells = new Map<number, Held>();
  let running = 0;

  const some = (holds: (held: Held) => boolean): boolean => [...cells.values()].some(holds);

  function settle(held: Held): boolean {
    if (!held.busy) return false;
    held.busy = false;
    running--;
    return true;
  }

  function attend(held: Held, atWork: boolean): void {
    if (held.attended === atWork) return;
    held.attended = atWork;
    running += atWork ? 1 : -1;
  }

  return {
    cells,
    get running() {
      return running;
    },
    add: (cell, listener) =>
      void cells.set(cell, { listener, busy: false, loads: false, attended: false, ending: false, active: 0 }),
    remove(cell) {
      const held = cells.get(cell);
      if (held === undefined) return;
      cells.delete(cell);
      settle(held);
      attend(held, false);
    },
    clear() {
      cells.clear();
      running = 0;
    },
    begin(held, loads) {
      if (held.busy) return false;
      held.busy = true;
      held.loads = loads;
      running++;
      return true;
    },
    settle,
    attend,
    awaited: () => some(({ busy, ending }) => busy || ending),
    wanted: () => some(({ busy, attended, ending }) => (busy || attended) && !ending),
    callbacks: () => [...cells.values()].filter(({ busy, loads }) => busy && !loads).length,
    idle: () => [...cells.values()].filter(({ busy, attended }) => !busy && !attended),
  };
}
