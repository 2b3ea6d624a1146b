/**
 * A callback that spins for ever. What goes on meanwhile is measured where it matters, at the server: the pings that the host
 * answers, and the other requests of the same connection. The next callback shows that a fresh thread was ready.
 */
import type { Connection } from '../../../index.js';
import { type Claim, claim } from '../claims.js';
import type { Nag, Press } from '../pressure.js';
import type { Stage } from '../stage.js';
import { milliseconds } from '../table.js';
import { structuredOf } from '../text.js';

/** The deadline that the connection to the stuck desk is given, ms. */
export const deadline = 1_000;

export async function getStuck(stage: Stage, connection: Connection): Promise<Claim[]> {
  const stuck = press(connection, 'Think for ever');
  const { codes } = structuredOf<Nag>(await connection.callTool({ name: 'nag', arguments: { times: 3 } }));
  const others = stage.of(connection).filter((record) => record.outcome === 'answered');
  const first = await stuck;
  const killed = stage.of(connection).at(-1);
  const next = await press(connection, 'Think briefly');
  const answered = stage.of(connection).at(-1);
  return [
    claim(
      `a callback that spun for ever was killed at its deadline of ${deadline} ms`,
      killed?.outcome === 'killed' && first.code === -32603 && first.waited >= deadline * 0.99 && first.waited < deadline * 3,
      `the server got ${first.code} after ${milliseconds(first.waited)}`,
    ),
    claim(
      'while it spun, pings and other requests of the same server were answered',
      first.pings >= 3 && first.slowestPing < deadline && others.length === 3 && codes.every((code) => code === 0),
      `${first.pings} pings, the slowest after ${milliseconds(first.slowestPing)}; ${others.length} requests for roots, in other threads`,
    ),
    claim(
      'the next callback found a live thread',
      answered?.outcome === 'answered' && next.code === 0 && answered.threadId !== killed?.threadId,
      `thread ${answered?.threadId} answered in ${milliseconds(answered?.times.total ?? 0)}; it was not thread ${killed?.threadId}`,
    ),
  ];
}

async function press(connection: Connection, prompt: string): Promise<Press> {
  return structuredOf<Press>(await connection.callTool({ name: 'press', arguments: { prompt } }));
}
