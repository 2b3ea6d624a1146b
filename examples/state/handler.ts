/** Answers forms. It sees nothing of the sealed state: the host sends that back as it came, and shows it to nobody. */
import { type ElicitationCallback, refuse } from 'mcp-bulkhead/handler';
import type { Services } from './host.js';

export const handleElicitation: ElicitationCallback<Services> = async (params, { host, request }) => {
  if (params.mode !== 'form') throw refuse(-32602, 'this host shows forms only');
  // Which round of which call this is, where the revision has rounds.
  const round = request === undefined ? '' : `round ${request.round}: `;
  return { action: 'accept', content: await host.ask({ question: `${round}${params.message}` }) };
};
