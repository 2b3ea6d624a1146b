/**
 * A cell with its place in the dispatcher: its state, the job it runs, whom it belongs to, and whom it ran for.
 */
import { type Cell, type CellEvent, type CellState, nextCellState } from './cell.js';
import type { Blame, Job } from './job.js';

export interface Seat {
  readonly cell: Cell;
  /** Which loading of the module it holds. */
  readonly version: number;
  state: CellState;
  /** Kept from its start: a thread that is gone has no id any more. */
  threadId: number;
  job: Job | undefined;
  /** The server it belongs to, once it ran for one (`scope: 'server'`). */
  server: string | undefined;
  /** It ends as soon as what it runs has ended. */
  retiring: boolean;
  /** Callbacks it completed. */
  completed: number;
  /** Forgets the timer it is under: of its loading, of a kill's grace, or of its death. */
  disarm: () => void;
  /** The last callbacks it ran; what they leave behind is blamed on them. */
  readonly recent: Blame[];
}

/** How many finished callbacks of a cell are remembered. A failure later than that is blamed on nobody. */
const remembered = 64;

export function createSeat(cell: Cell, version: number): Seat {
  const fresh = { job: undefined, server: undefined, retiring: false, completed: 0, disarm: () => {} };
  return { cell, version, state: 'starting', threadId: 0, ...fresh, recent: [] };
}

/** Moves a seat on; false where the event comes too late to mean anything. */
export function move(seat: Seat, event: CellEvent): boolean {
  const next = nextCellState(seat.state, event);
  if (next === undefined) return false;
  seat.state = next;
  return true;
}

export function remember({ recent }: Seat, { run, serverId, requestId, kind }: Blame): void {
  recent.push({ run, serverId, requestId, kind });
  if (recent.length > remembered) recent.shift();
}

export function blameFor({ recent }: Seat, run: number | null): Blame | undefined {
  return recent.findLast((past) => past.run === run);
}
