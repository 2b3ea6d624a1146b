/**
 * How a consumer's worker is ended gently: it begins nothing more, and what runs may end first.
 *
 * Replaced, it has ten seconds. Killed for an item that is late, it has one, and does not wait for late ones; if these end after
 * all, it is merely replaced. Invariant: `end` is not called after a departure was called off.
 */
import type { Clock } from '../clock.js';
import type { ConsumerDeath } from './isolation.js';

export interface Departure {
  readonly under: boolean;
  /** Begins one, if none is under way. */
  replace(): void;
  /** Kills it for this item. */
  expire(death: ConsumerDeath, late: number): void;
  /** An item ended. */
  ended(): void;
  /** The worker says that it has stopped. Why it was to; undefined if nobody asked it to. */
  stopped(): ConsumerDeath | undefined;
  /** It has ended. */
  callOff(): void;
}

export interface DepartureSettings {
  readonly clock: Clock;
  /** Tells the worker to begin nothing more. */
  stop(): void;
  running(): readonly number[];
  end(death: ConsumerDeath): void;
}

const patience = 10_000;
const courtesy = 1000;
const retired: ConsumerDeath = Object.freeze({ reason: 'retired', blamed: null });

export function createDeparture({ clock, stop, running, end }: DepartureSettings): Departure {
  const late = new Set<number>();
  let death: ConsumerDeath | undefined;
  let disarm = (): void => {};

  function begin(how: ConsumerDeath, within: number): void {
    if (death === undefined) stop();
    death = how;
    disarm();
    disarm = clock.after(within, finish);
  }

  function finish(): void {
    if (death !== undefined) end(death);
  }

  function ended(): void {
    if (late.size === 0) return;
    const left = running();
    const waitsFor = left.filter((sequence) => !late.has(sequence));
    if (waitsFor.length === 0) finish();
    else if (waitsFor.length === left.length) {
      late.clear();
      begin(retired, patience);
    }
  }

  return {
    get under() {
      return death !== undefined;
    },
    replace() {
      if (death === undefined) begin(retired, patience);
    },
    expire(how, sequence) {
      begin(how, courtesy);
      late.add(sequence);
      ended();
    },
    ended,
    stopped: () => death,
    callOff() {
      death = undefined;
      late.clear();
      disarm();
    },
  };
}
