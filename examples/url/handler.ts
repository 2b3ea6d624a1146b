/** Puts a page of the server before the person. The guard has judged the address already; nothing was fetched or resolved. */
import { type ElicitationCallback, refuse } from 'mcp-bulkhead/handler';
import type { Services } from './host.js';

// What is listed is what servers are told: no forms here.
export const elicitationModes = ['url'] as const;

export const handleElicitation: ElicitationCallback<Services> = async ({ message }, { host, elicitation }) => {
  if (elicitation?.mode !== 'url') throw refuse(-32602, 'this host opens pages only');
  const { url, unicodeHost, registrableDomain, idn, mixedScript, originMismatch } = elicitation;
  const warnings: string[] = [];
  if (mixedScript) warnings.push(`"${unicodeHost}" mixes alphabets, as imitations do`);
  else if (idn) warnings.push(`"${unicodeHost}" is not plain ASCII`);
  if (originMismatch) warnings.push('the page is not at the address of the server');
  // The name is shown as it goes to the resolver, since two that look the same may differ.
  const agreed = await host.consent({ message, url, domain: registrableDomain ?? new URL(url).host, warnings });
  return { action: agreed ? 'accept' : 'decline' };
};
