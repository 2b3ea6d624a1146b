/**
 * A cell with its place in the dispatcher: its state, the job it runs, whom it belongs to, and whom it ran for.
 */
import type { Cell, CellState } from './cell.js';
import type { Blame, Job } from './job.js';

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
    retiring: false,
    completed: 0,
    disarm: () => {},
    recent: [],
    remembered: 0,
  };
}

export function remember(seat: Seat, blame: Blame): void {
  seat.recent[seat.remembered++ % memory] = blame;
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
