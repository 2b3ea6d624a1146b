/** A server that asks more often than its budget allows: what is over is refused at once, with a code it can read. */
import type { Connection } from '../../../index.js';
import { type Claim, claim } from '../claims.js';
import type { Nag } from '../pressure.js';
import type { Stage } from '../stage.js';
import { structuredOf } from '../text.js';

/** The budget that the connection to the greedy desk is given. */
export const budget: { readonly perSecond: number; readonly burst: number } = { perSecond: 0.1, burst: 2 };

export async function getGreedy(stage: Stage, connection: Connection): Promise<Claim[]> {
  const times = budget.burst + 1;
  const { codes } = structuredOf<Nag>(await connection.callTool({ name: 'nag', arguments: { times } }));
  const records = stage.of(connection);
  const last = records.at(-1);
  return [
    claim(
      `with a budget of ${budget.burst}, request ${times} was refused and cost no thread`,
      codes.join() === '0,0,-32000' && last?.stages.budget === 'refused' && last.stages.callback === 'skipped',
      `the server was told ${codes.map((code) => (code === 0 ? 'an answer' : String(code))).join(', ')}`,
    ),
  ];
}
