/**
 * Opens one cell: starts it, loads the module in it, and says what came of it, once.
 *
 * A module that throws, exits or hangs while loading is a fault with words for it, and its cell is ended.
 */
import { afterSilence, type Clock } from '../clock.js';
import type { Description } from '../contract/describe.js';
import { type Fault, fault, toFault } from '../contract/fault.js';
import { readReply, runnerLimits } from '../contract/messages.js';
import type { Carrier, Death } from './cell.js';
import { createSeat, type Seat } from './seat.js';

export interface OpeningSettings {
  readonly carrier: Carrier;
  /** File URL of the handler module, or `plugin:` and the plugin's name. */
  readonly url: string;
  /** Names of the host's services. */
  readonly services: readonly string[];
  readonly clock: Clock;
  readonly loadTimeout: number;
  /** Whether a debugger holds time still: a module may stand at a breakpoint while it loads. */
  debugged(): boolean;
}

/** What a cell tells after it was opened. */
export interface SeatEvents {
  hear(seat: Seat, data: unknown): void;
  violated(seat: Seat): void;
  /** This run has not begun and never will. */
  stuck?(seat: Seat, run: number): void;
  died(seat: Seat, death: Death): void;
  gone(seat: Seat): void;
}

export interface Opening {
  started(seat: Seat): void;
  loaded(seat: Seat, description: Description): void;
  /** `seat` is undefined where the platform refused to start one. */
  failed(seat: Seat | undefined, fault: Fault): void;
}

export function openSeat(settings: OpeningSettings, version: number, events: SeatEvents, opening: Opening): void {
  const { carrier, url, services, clock, loadTimeout, debugged } = settings;
  let seat!: Seat;
  let told = false;

  function fail(found: Fault): void {
    if (told) return;
    told = true;
    opening.failed(seat, found);
  }

  function hear(data: unknown): void {
    const reply = readReply(data, runnerLimits);
    if (told) return;
    if (reply?.type !== 'loaded') {
      fail(reply?.type === 'crashed' ? reply.fault : fault('LoadError', 'it answered nothing that could be read'));
      return;
    }
    told = true;
    seat.disarm();
    seat.threadId = seat.cell.threadId;
    opening.loaded(seat, reply.description);
  }

  function overdue(): void {
    if (debugged()) seat.disarm = afterSilence(clock, loadTimeout, overdue);
    else {
      fail(fault('LoadError', `it did not load within ${loadTimeout} ms`));
      seat.cell.disown();
    }
  }

  try {
    const cell = carrier.start({
      message: (data) => events.hear(seat, data),
      stuck: (run) => events.stuck?.(seat, run),
      violated: () => (told ? events.violated(seat) : fail(fault('LoadError', 'it sent messages of its own'))),
      died: (death) => (told ? events.died(seat, death) : fail(deathWhileLoading(death))),
      gone: () => events.gone(seat),
    });
    seat = createSeat(cell, version);
    opening.started(seat);
    seat.disarm = afterSilence(clock, loadTimeout, overdue);
    cell.run({ type: 'load', url, services, version, limits: runnerLimits }, hear);
  } catch (thrown) {
    fail(toFault(thrown));
  }
}

function deathWhileLoading({ reason, fault: found }: Death): Fault {
  return reason === 'exit' ? fault('ExitError', `${found.message} while loading`) : found;
}
