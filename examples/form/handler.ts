/** Answers forms: runs in a worker thread, out of reach of the host's own loop, and asks the person through the host. */
import { type ElicitationCallback, refuse } from 'mcp-bulkhead/handler';
import type { Services } from './host.js';

export const handleElicitation: ElicitationCallback<Services> = async (params, { host, elicitation }) => {
  // URLs were refused before they got here, since this module declares no `elicitationModes`: this is for the compiler.
  if (params.mode !== 'form') throw refuse(-32602, 'this host shows forms only');
  const { message, requestedSchema } = params;
  // The guard has looked for fields that ask for a secret. It flags and never blocks: what to do about it is ours to say.
  const secrets = elicitation?.mode === 'form' && Object.values(elicitation.fields).some((field) => field.sensitiveSuspected);
  if (secrets) return { action: 'decline' };
  const content = await host.ask({ message, fields: Object.keys(requestedSchema.properties) });
  return content === null ? { action: 'decline' } : { action: 'accept', content };
};
