/**
 * The one consumer of an isolation, and what it shares with the callbacks: services, the watch, the way cells are opened. Its
 * cells stand on a rack of their own, so that notifications take no callback's place.
 */
import type { Clock } from '../clock.js';
import { fault } from '../contract/fault.js';
import { runnerLimits } from '../contract/messages.js';
import { type ConsumerCell, openConsumer } from './consumer.js';
import { createConversation } from './conversation.js';
import type { Consumer, IsolationEvents } from './isolation.js';
import { type OpeningSettings, openSeat } from './opening.js';
import { createRack } from './rack.js';
import type { Job } from './seat.js';
import type { Services } from './services.js';
import { createUndead } from './undead.js';
import type { Watch } from './watch.js';

export interface ConsumingSettings {
  readonly opening: OpeningSettings;
  readonly clock: Clock;
  readonly events: IsolationEvents;
  readonly services: Services;
  readonly watch: Pick<Watch, 'add' | 'remove'>;
  readonly maxUndead: number;
  version(): number;
}

export interface Consuming {
  /** The same one for everybody, until it could not be opened. */
  consumer(): Promise<Consumer>;
  /** Whether the watch means the consumer by this job; it is dealt with then. */
  overdone(job: Job, reason: 'busy' | 'memory'): boolean;
  /** The module was loaded anew. */
  retire(): void;
  close(): Promise<void>;
}

export function createConsuming({ opening, clock, events, services, watch, maxUndead, version }: ConsumingSettings): Consuming {
  const rack = createRack('shared');
  const undead = createUndead(rack, clock, events);
  let opened: Promise<ConsumerCell> | undefined;
  let cell: ConsumerCell | undefined;
  let closed = false;
  const conversation = createConversation(services, events, runnerLimits, {
    retire: () => cell?.retire(),
    fell: () => {},
  });

  async function open(): Promise<ConsumerCell> {
    try {
      cell = await openConsumer({
        ...{ clock, watch, end: undead.end, gone: undead.gone, quiet: undead.quiet, converse: conversation.hear },
        full: () => rack.counts.undead > maxUndead,
        open: (seatEvents, told) =>
          openSeat(opening, version(), seatEvents, {
            ...told,
            started: rack.add,
            loaded: (seat, description) => void (rack.step(seat, 'loaded') && told.loaded(seat, description)),
          }),
      });
      return cell;
    } catch (found) {
      opened = undefined;
      throw found;
    }
  }

  return {
    consumer() {
      if (closed) return Promise.reject(fault('ClosedError', 'the room is closed'));
      opened ??= open();
      return opened;
    },
    overdone(job, reason) {
      const mine = cell?.watched === job;
      if (mine) cell?.overdone(reason);
      return mine;
    },
    retire: () => cell?.retire(),
    async close() {
      closed = true;
      void cell?.close();
      for (const seat of [...rack.seats]) undead.end(seat);
      await undead.quiet();
    },
  };
}
