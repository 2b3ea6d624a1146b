/**
 * All cells of one isolation, their states, and which of them are free.
 *
 * Counts are kept in step with every change of state: counting cells anew for every callback would cost more than choosing one.
 * Invariant: a cell is on the free list only while its state is `free`.
 */
import type { ThreadSettings } from '../threads.js';
import { type CellEvent, type CellState, nextCellState } from './cell.js';
import type { Seat } from './seat.js';

type Counts = { readonly [state in CellState]: number };

export interface Rack {
  readonly seats: ReadonlySet<Seat>;
  readonly counts: Counts;
  add(seat: Seat): void;
  /** Moves a cell on; false where the event comes too late to mean anything. */
  step(seat: Seat, event: CellEvent): boolean;
  /** On the free list. */
  offer(seat: Seat): void;
  /** The free cell that should run a callback of this server; it stays on the list until it is `taken`. */
  pick(serverId: string): Seat | undefined;
  /** Free cells, the longest idle first. */
  idle(): readonly Seat[];
}

export function createRack(scope: ThreadSettings['scope']): Rack {
  const seats = new Set<Seat>();
  const counts = { starting: 0, free: 0, busy: 0, dying: 0, undead: 0, gone: 0 };
  const free: Seat[] = [];

  function unlist(seat: Seat): void {
    const index = free.lastIndexOf(seat);
    if (index !== -1) free.splice(index, 1);
  }

  return {
    seats,
    counts,
    add(seat) {
      seats.add(seat);
      counts[seat.state]++;
    },
    step(seat, event) {
      const next = nextCellState(seat.state, event);
      if (next === undefined) return false;
      if (seat.state === 'free') unlist(seat);
      counts[seat.state]--;
      counts[next]++;
      seat.state = next;
      if (next === 'gone') seats.delete(seat);
      return true;
    },
    offer: (seat) => void free.push(seat),
    pick(serverId) {
      // The last one used is warm in every cache.
      if (scope !== 'server') return free[free.length - 1];
      return free.findLast(({ server }) => server === serverId) ?? free.findLast(({ server }) => server === undefined);
    },
    idle: () => free,
  };
}
