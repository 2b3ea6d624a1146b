/** Asks until the answer fits. What leaves this handler is checked once more by the host, where no handler can skip it. */
import { type ElicitationCallback, type FormFault, refuse, validateContent } from 'mcp-bulkhead/handler';
import type { Services } from './host.js';

/** A person who is wrong three times has misunderstood the form. */
const attempts = 3;

export const handleElicitation: ElicitationCallback<Services> = async (params, { host }) => {
  if (params.mode !== 'form') throw refuse(-32602, 'this host shows forms only');
  const { message, requestedSchema } = params;
  let faults: readonly FormFault[] = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    const content = await host.ask({ message, faults });
    faults = validateContent(requestedSchema, content);
    if (faults.length === 0) return { action: 'accept', content };
  }
  // Not `decline`: the person has not said no. Nor the faulty answer: the host would refuse it and fail the call.
  return { action: 'cancel' };
};
