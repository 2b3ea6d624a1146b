/** Shows a form with its defaults filled in; the person changes what they like and leaves the rest. */
import { defaultsOf, type ElicitationCallback, refuse } from 'mcp-bulkhead/handler';
import type { Services } from './host.js';

export const handleElicitation: ElicitationCallback<Services> = async (params, { host, assigns }) => {
  if (params.mode !== 'form') throw refuse(-32602, 'this host shows forms only');
  const { message, requestedSchema } = params;
  const filled = defaultsOf(requestedSchema);
  const changed = await host.ask({ message, filled });
  // A host with `elicitation.applyDefaults` fills in what is missing; any other sends what it gets, so we do it here.
  const content = assigns.hostAppliesDefaults === true ? changed : { ...filled, ...changed };
  return { action: 'accept', content };
};
