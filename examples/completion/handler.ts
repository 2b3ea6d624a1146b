/** Asks for consent to open a page. That is all an answer says: whether the person got through it comes later, as a notice. */
import { type ElicitationCallback, refuse } from 'mcp-bulkhead/handler';
import type { Services } from './host.js';

export const elicitationModes = ['url'] as const;

export const handleElicitation: ElicitationCallback<Services> = async ({ message }, { host, elicitation }) => {
  if (elicitation?.mode !== 'url') throw refuse(-32602, 'this host opens pages only');
  const { url, host: place } = elicitation;
  return { action: (await host.open({ message, url, place })) ? 'accept' : 'decline' };
};
