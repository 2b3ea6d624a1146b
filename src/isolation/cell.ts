/**
 * A cell: one place in which callbacks run, one at a time, and which can be killed. A carrier makes them: from threads, from
 * the main thread itself, from child processes. The dispatcher knows no more of either than this file says.
 *
 *                  loaded          taken
 *      starting ───────────▶ free ──────▶ busy
 *         │                   ▲  answered  │
 *         │                   └────────────┤        overdue
 *         └──────── ended ──── (from any) ─┴▶ dying ───────▶ undead
 *                                               └─── gone ──────┴──▶ gone
 */
import type { Fault } from '../contract/fault.js';
import type { RunnerTask, ToRunner } from '../contract/messages.js';
import type { Tier } from '../options.js';
import type { CrashReason } from './isolation.js';

/** Why a cell ended on its own. */
export interface Death {
  readonly reason: Extract<CrashReason, 'exit' | 'memory' | 'lost'>;
  readonly fault: Fault;
}

/** What a cell tells. Nothing is told after `gone`. */
export interface CellEvents {
  /** A message beside the replies, exactly as it came out; unchecked. */
  message(data: unknown): void;
  /** Something came out where nothing may come out: a forged message. */
  violated(): void;
  /** Its runner had not begun this run and never will, since something else keeps it busy. For carriers without `revoke`. */
  stuck?(run: number): void;
  /** The cell ended without being killed. Told once, and not after `kill()`. */
  died(death: Death): void;
  /** What carried the cell has really ended: thread or process. Told once, also after `kill()`. */
  gone(): void;
}

export interface Cell {
  /** The thread's id for records; 0 where there is none. */
  readonly threadId: number;
  /** Hands over one task; `settle` gets what came back, unchecked. Called again only after `settle`. */
  run(task: RunnerTask, settle: (reply: unknown) => void): void;
  send(message: ToRunner): void;
  /** Whether notifications are with its runner: work that is no task. For carriers that watch only what is at work. */
  attend?(atWork: boolean): void;
  /** Takes a task back that the runner has not begun; false where it has. Missing where the carrier cannot tell. */
  revoke?(run: number): boolean;
  /** Milliseconds in which the thread was not waiting, since it started; compared, never shown. */
  active(): number;
  /** Ends it at once, as far as the platform can, or as soon as it has loaded. `last` hears what it had said before and nobody has heard yet, until `gone`. */
  kill(last?: (data: unknown) => void): void;
  /** It did not end when killed: it must not hold the process open, and what it loads is not waited for. */
  disown(): void;
}

export interface Carrier {
  readonly tier: Tier;
  /** Starts a cell. Its first task is a `LoadTask`. May throw where the platform refuses the settings. */
  start(events: CellEvents): Cell;
  /** Ends what the carrier holds beside its cells. */
  close(): Promise<void>;
}

export type CellState = 'starting' | 'free' | 'busy' | 'dying' | 'undead' | 'gone';
export type CellEvent = 'loaded' | 'taken' | 'answered' | 'ended' | 'overdue' | 'gone';

const transitions: { readonly [state in CellState]: { readonly [event in CellEvent]?: CellState } } = {
  starting: { loaded: 'free', ended: 'dying', gone: 'gone' },
  free: { taken: 'busy', ended: 'dying', gone: 'gone' },
  busy: { answered: 'free', ended: 'dying', gone: 'gone' },
  dying: { overdue: 'undead', gone: 'gone' },
  undead: { gone: 'gone' },
  gone: {},
};

/** The next state, or undefined where the event means nothing in this one. */
export function nextCellState(state: CellState, event: CellEvent): CellState | undefined {
  return transitions[state][event];
}
