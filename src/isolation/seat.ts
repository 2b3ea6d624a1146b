/**
 * A cell with its place in the dispatcher: its state, the job it runs, whom it belongs to, and whom it ran for. Seat and job know
 * each other while the one runs the other, so both are described here.
 */
import type { CallbackKind, RequestId } from '../contract/handler.js';
import type { Cell, CellState } from './cell.js';
import type { Settled, Task } from './isolation.js';

/** What is remembered of a callback after its end, to blame what it left behind. */
export interface Blame {
  readonly run: number;
  readonly serverId: string;
  readonly requestId: RequestId | null;
  readonly kind: CallbackKind;
}

export interface Job {
  readonly task: Task;
  readonly blame: Blame;
  readonly outcome: Promise<Settled>;
  readonly since: number;
  /** When a cell took it; undefined while it waits. */
  started: number | undefined;
  /** The cell that took it. */
  seat: Seat | undefined;
  ended: boolean;
  /** Host calls in flight, and how many there were. */
  calls: Map<number, AbortController> | undefined;
  callCount: number;
  /** Lines it printed, as the main thread saw them. */
  lines: number;
  /** The thread's active time when the watch first saw it, and at the watch's last turn. */
  activeAtFirst: number | undefined;
  activeBefore: number;
  /** Turns of the watch since a cell took it, until it is known to have begun. */
  turns: number;
  resolve(settled: Settled): void;
}

export interface Seat {
  readonly cell: Cell;
  /** Which loading of the module it holds. */
  readonly version: number;
  /** Changed by the rack alone. */
  state: CellState;
  /** Kept from its start: a thread that is gone has no id any more. */
  threadId: number;
  job: Job | undefined;
  /** The jobs of a consumer's cell, which runs several at once. */
  others: ((run: number) => Job | undefined) | undefined;
  /** The server it belongs to, once it ran for one (`scope: 'server'`). */
  server: string | undefined;
  /** What it said that belongs to nothing it runs, since it last began something. */
  late: number;
  /** It ends as soon as what it runs has ended. */
  retiring: boolean;
  /** Callbacks it completed. */
  completed: number;
  /** Forgets the timer it is under: of its loading, of a kill's grace, or of its death. */
  disarm: () => void;
  /** The last callbacks it ran, as a ring; what they leave behind is blamed on them. */
  readonly recent: Blame[];
  remembered: number;
}

/** How many finished callbacks of a cell are remembered. A failure later than that is blamed on nobody. */
const memory = 64;

export function createSeat(cell: Cell, version: number): Seat {
  return {
    cell,
    version,
    state: 'starting',
    threadId: 0,
    job: undefined,
    others: undefined,
    server: undefined,
    late: 0,
    retiring: false,
    completed: 0,
    disarm: () => {},
    recent: [],
    remembered: 0,
  };
}

export function remember(seat: Seat, blame: Blame): void {
  seat.recent[seat.remembered++ % memory] = blame;
  seat.late = 0;
}

export function blameFor({ recent }: Seat, run: number | null): Blame | undefined {
  return recent.find((past) => past.run === run);
}

/** The job that runs there under this number. */
export function jobAt({ job, others }: Seat, run: number | null): Job | undefined {
  if (job !== undefined) return job.blame.run === run ? job : undefined;
  return run === null ? undefined : others?.(run);
}

/** The callback it ran before the present one. */
export function blameBefore({ recent, remembered }: Seat): Blame | undefined {
  return remembered < 2 ? undefined : recent[(remembered - 2) % memory];
}
