/** Waits for a person. Nothing here has to know of cancelling: the host ends this function wherever it stands. */
import { type ElicitationCallback, refuse } from 'mcp-bulkhead/handler';
import type { Services } from './host.js';

export const handleElicitation: ElicitationCallback<Services> = async (params, { host }) => {
  if (params.mode !== 'form') throw refuse(-32602, 'this host shows forms only');
  return { action: 'accept', content: { one: await host.ask(params.message) } };
};
