/**
 * The travel desk, revision 2026-07-28, once over stdio and once over Streamable HTTP: one call, in whose first round four
 * questions arrive together, and in whose second the server wants a confirmation and its sealed state back.
 */
import type { Connection } from '../../../index.js';
import { type Claim, claim } from '../claims.js';
import type { Trip } from '../server.js';
import type { Stage } from '../stage.js';
import { structuredOf } from '../text.js';

export async function bookTrip(stage: Stage, connection: Connection, over: string): Promise<Claim[]> {
  const trip = structuredOf<Trip>(await connection.callTool({ name: 'book-trip', arguments: {} }));
  const records = stage.of(connection);
  const inRound = (round: number) => records.filter((record) => record.request?.round === round && record.outcome === 'answered');
  const first = inRound(1);
  const threads = new Set(first.map((record) => record.threadId));
  return [
    claim(
      `2026-07-28 over ${over}: four kinds of question in one round, a confirmation in the next`,
      connection.era === 'modern' && first.length === 4 && inRound(2).length === 1 && records.length === 5,
      `answered by threads ${[...threads].sort().join(', ')}; the desk booked ${trip.nights} nights in ${trip.destination}, ${trip.confirmed ? 'confirmed' : 'not confirmed'}`,
    ),
  ];
}
