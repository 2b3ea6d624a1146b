/** What became of the server's requests, and what was thrown away: the host's listeners are told, and it is counted. */
import type { InputOutcome } from '../journal.js';
import { cleanText } from '../sanitise/text.js';
import type { Emitter } from './events.js';
import type { ConnectionEvents, ConnectionStats } from './face.js';
import type { Dropped, Link } from './link.js';

export interface Tally extends Pick<Link, 'dropped' | 'recorded'> {
  /** As they are now. */
  counts(): Pick<ConnectionStats, 'outcomes' | 'dropped'>;
}

export function createTally(events: Emitter<ConnectionEvents>): Tally {
  const outcomes: Record<InputOutcome, number> = { answered: 0, refused: 0, failed: 0, killed: 0, cancelled: 0 };
  const dropped: Record<Dropped['what'], number> = { log: 0, notification: 0, request: 0, response: 0 };
  return {
    dropped(event) {
      dropped[event.what] += event.count;
      events.emit('dropped', event.method === undefined ? event : { ...event, method: cleanText(event.method) });
    },
    recorded(record) {
      outcomes[record.outcome]++;
      events.emit('input', record);
    },
    counts: () => ({ outcomes: { ...outcomes }, dropped: { ...dropped } }),
  };
}
