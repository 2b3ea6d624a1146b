/**
 * Looks at a free cell before it is used: has the last callback left something running that would hold up the next?
 *
 * A cell whose thread was active while it should have been idle is set aside and asked for a sign. It comes back with its
 * answer, or ends as stray when it gives none. Nobody else's callback waits behind such a leftover. A cell that became free
 * moments ago is not looked at, so that a quick series of callbacks pays nothing.
 */
import type { Clock } from '../clock.js';
import { fault } from '../contract/fault.js';
import type { IsolationEvents } from './isolation.js';
import type { Rack } from './rack.js';
import { lastBlame, type Seat } from './seat.js';

/** Active milliseconds of a free cell that are suspicious: closing the books of a callback takes far less. */
const suspicious = 5;
/** How long a cell may take for a sign. */
const patience = 50;

export interface Checkup {
  /** Notes how active each free cell has been, the first time it is seen free. */
  note(): void;
  /** Whether the cell can be used at once; otherwise it was set aside. */
  passes(seat: Seat): boolean;
  /** The cell gave its sign. */
  answered(seat: Seat): void;
}

export interface CheckupSettings {
  readonly rack: Rack;
  readonly clock: Clock;
  readonly events: IsolationEvents;
  end(seat: Seat): void;
  ready(): void;
}

export function createCheckup({ rack, clock, events, end, ready }: CheckupSettings): Checkup {
  const asked = new Set<Seat>();

  function giveUp(seat: Seat): void {
    asked.delete(seat);
    const { serverId = '', requestId = null, kind = null } = lastBlame(seat) ?? {};
    events.stray({
      serverId,
      requestId,
      kind,
      fault: fault('BusyError', 'the thread was still busy after the callback had ended'),
    });
    end(seat);
  }

  return {
    note() {
      for (const seat of rack.idle()) seat.activeWhenFreed ??= seat.cell.active();
    },
    passes(seat) {
      const { activeWhenFreed } = seat;
      if (activeWhenFreed === undefined || seat.cell.active() - activeWhenFreed < suspicious) return true;
      rack.setAside(seat);
      asked.add(seat);
      seat.disarm = clock.after(patience, () => giveUp(seat));
      seat.cell.send({ type: 'ping' });
      return false;
    },
    answered(seat) {
      if (!asked.delete(seat) || seat.state !== 'free') return;
      seat.disarm();
      seat.activeWhenFreed = undefined;
      rack.offer(seat);
      ready();
    },
  };
}
