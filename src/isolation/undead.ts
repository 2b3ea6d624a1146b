/**
 * Cells that were ended and are not gone yet.
 *
 * Most are gone within milliseconds; one that is not is undead: a loop around one slow builtin, or a native call. It is counted,
 * reported when it appears and when it goes, kept from holding the process open, and never used again.
 */
import type { Clock } from '../clock.js';
import type { IsolationEvents } from './isolation.js';
import { move, type Seat } from './seat.js';

/** Ordinary loops die within 12 ms of being terminated, slow builtins within 60. */
const undeadAfter = 250;

export interface Undead {
  /** How many cells are ended but not gone: those that still may go at once, and the undead. */
  dying(): number;
  undead(): number;
  /** Ends a cell: at once as far as the host is concerned. */
  end(seat: Seat): void;
  /** The cell is gone, whether it was ended or not. */
  gone(seat: Seat): void;
  /** Resolves when nothing is dying any more; the undead are not waited for. */
  quiet(): Promise<void>;
}

export function createUndead(clock: Clock, events: IsolationEvents): Undead {
  const dying = new Set<Seat>();
  const undead = new Set<Seat>();
  let quiet: (() => void)[] = [];

  function report(seat: Seat): void {
    events.undead({ threadId: seat.threadId, count: undead.size });
  }

  function left(seat: Seat): void {
    dying.delete(seat);
    if (dying.size > 0) return;
    for (const done of quiet) done();
    quiet = [];
  }

  return {
    dying: () => dying.size,
    undead: () => undead.size,
    end(seat) {
      if (!move(seat, 'ended')) return;
      seat.disarm();
      dying.add(seat);
      seat.disarm = clock.after(undeadAfter, () => {
        if (!move(seat, 'overdue')) return;
        undead.add(seat);
        seat.cell.disown();
        report(seat);
        left(seat);
      });
      seat.cell.kill();
    },
    gone(seat) {
      seat.disarm();
      move(seat, 'gone');
      if (undead.delete(seat)) report(seat);
      left(seat);
    },
    quiet: () => (dying.size === 0 ? Promise.resolve() : new Promise((done) => quiet.push(done))),
  };
}
