/**
 * The consumer's next cell: opened ahead, loaded, waiting for its turn.
 *
 * Cells that end before anything that ran in them did slow the opening down (0.1 to 5 s); so does a module that does not load. None
 * is opened while too many are undead. Invariant: at most one cell waits or is being opened, and it holds the module as it is now.
 */
import type { Clock } from '../clock.js';
import type { Fault } from '../contract/fault.js';
import type { Opening } from './opening.js';
import { firstPause, pauseAfter } from './pause.js';
import type { Seat } from './seat.js';

export interface SuccessionSettings {
  readonly clock: Clock;
  open(opening: Opening): void;
  end(seat: Seat): void;
  /** Too many cells are undead to open one more. */
  full(): boolean;
  /** A cell waits. */
  arrived(seat: Seat): void;
  /** Whether to try again. */
  failed(fault: Fault): boolean;
}

export interface Succession {
  /** Opens the next cell, after a pause where there has to be one. */
  provide(): void;
  waits(): boolean;
  /** The cell that waits, which waits no more. */
  take(): Seat | undefined;
  /** A cell ended: in vain if nothing that ran in it had ended before. */
  inVain(): void;
  /** Something ended: cells are worth opening. */
  proven(): void;
  /** The waiting cell ended. False if this is not the one. */
  lost(seat: Seat): boolean;
  /** The module was loaded anew: what waits or is being opened is old. */
  renew(): void;
  close(): void;
}

export function createSuccession({ clock, open, end, full, arrived, failed }: SuccessionSettings): Succession {
  let waiting: Seat | undefined;
  let opening = false;
  let outdated = false;
  let closed = false;
  let vain = 0;
  let cancel = (): void => {};

  function provide(): void {
    const pause = vain < 2 ? 0 : pauseAfter(vain - 2);
    if (pause === 0 && !full()) openOne();
    else cancel = clock.after(Math.max(pause, firstPause), full() ? provide : openOne);
  }

  function openOne(): void {
    opening = true;
    open({
      started: () => {},
      loaded(seat) {
        opening = false;
        if (closed || outdated) return turnAway(seat);
        waiting = seat;
        arrived(seat);
      },
      failed(seat, fault) {
        opening = false;
        if (seat !== undefined) end(seat);
        vain++;
        if (!closed && failed(fault)) provide();
      },
    });
  }

  function turnAway(seat: Seat): void {
    end(seat);
    outdated = false;
    if (!closed) openOne();
  }

  function lost(seat: Seat): boolean {
    if (seat !== waiting) return false;
    waiting = undefined;
    end(seat);
    vain++;
    provide();
    return true;
  }

  return {
    provide,
    lost,
    waits: () => waiting !== undefined,
    take() {
      const seat = waiting;
      waiting = undefined;
      return seat;
    },
    inVain() {
      vain++;
    },
    proven() {
      vain = 0;
    },
    renew() {
      outdated = opening;
      if (waiting === undefined) return;
      end(waiting);
      waiting = undefined;
      provide();
    },
    close() {
      closed = true;
      cancel();
      if (waiting !== undefined) end(waiting);
    },
  };
}
