/**
 * Who may have a cell: every callback is admitted or refused at once, none queues behind another's.
 *
 * Refuses a server that holds its share (half of the pool, rounded up), a full pool, and everything while too many cells are
 * undead. Cells that are dying still take their place; those behind a killed callback's grace do not count for its server.
 */
import type { ThreadSettings } from '../threads.js';
import type { Outcome } from './isolation.js';
import type { Rack } from './rack.js';

export interface Admission {
  /** Why a callback of this server cannot run now; undefined if it can. */
  refusal(serverId: string): Outcome | undefined;
  enter(serverId: string): void;
  leave(serverId: string): void;
  /** Refuses everything from now on. Resolves when nothing runs or waits any more. */
  close(): Promise<void>;
}

export function createAdmission({ max, maxUndead }: ThreadSettings, { counts }: Rack): Admission {
  const held = new Map<string, number>();
  const share = Math.ceil(max / 2);
  let admitted = 0;
  let closed = false;
  let whenEmpty = () => {};

  return {
    refusal(serverId) {
      if (closed) return { type: 'closed' };
      if (counts.undead > maxUndead) return { type: 'busy', reason: 'undead' };
      if ((held.get(serverId) ?? 0) >= share) return { type: 'busy', reason: 'share' };
      if (admitted + counts.dying >= max) return { type: 'busy', reason: 'pool' };
      return undefined;
    },
    enter(serverId) {
      admitted++;
      held.set(serverId, (held.get(serverId) ?? 0) + 1);
    },
    leave(serverId) {
      admitted--;
      const others = (held.get(serverId) ?? 1) - 1;
      if (others === 0) held.delete(serverId);
      else held.set(serverId, others);
      if (admitted === 0) whenEmpty();
    },
    close() {
      closed = true;
      if (admitted === 0) return Promise.resolve();
      return new Promise((resolve) => {
        whenEmpty = resolve;
      });
    },
  };
}
