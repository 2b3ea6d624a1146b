/**
 * Cells that were ended and are not gone yet.
 *
 * Most are gone within milliseconds; one that is not is undead: a loop around one slow builtin, or a native call. It is counted,
 * reported when it appears and when it goes, kept from holding the event loop open, and never used again. At the very end of the
 * process Node waits for it all the same.
 */
import { afterSilence, type Clock } from '../clock.js';
import type { IsolationEvents } from './isolation.js';
import type { Rack } from './rack.js';
import type { Seat } from './seat.js';

/** Ordinary loops die within 12 ms of being terminated, slow builtins within 60. */
const undeadAfter = 250;
/** One that is still loading ends when it has loaded. */
const loadedWithin = 2000;

export interface Undead {
  /** Ends a cell: at once as far as the host is concerned. */
  end(seat: Seat): void;
  /** The cell is gone, whether it was ended or not. */
  gone(seat: Seat): void;
  /** Resolves when nothing is dying any more; the undead are not waited for. */
  quiet(): Promise<void>;
}

export function createUndead(rack: Rack, clock: Clock, events: IsolationEvents): Undead {
  const { counts } = rack;
  let whenQuiet: (() => void)[] = [];

  function report({ threadId }: Seat): void {
    events.undead({ threadId, count: counts.undead });
  }

  function look(): void {
    if (counts.dying > 0) return;
    for (const done of whenQuiet) done();
    whenQuiet = [];
  }

  function overdue(seat: Seat): void {
    if (!rack.step(seat, 'overdue')) return;
    seat.cell.disown();
    report(seat);
    look();
  }

  return {
    end(seat) {
      const patience = seat.state === 'starting' ? loadedWithin : undeadAfter;
      if (!rack.step(seat, 'ended')) return;
      seat.disarm();
      seat.disarm = afterSilence(clock, patience, () => overdue(seat));
      seat.cell.kill();
    },
    gone(seat) {
      seat.disarm();
      const wasUndead = seat.state === 'undead';
      rack.step(seat, 'gone');
      if (wasUndead) report(seat);
      look();
    },
    quiet: () => (counts.dying === 0 ? Promise.resolve() : new Promise((done) => whenQuiet.push(done))),
  };
}
