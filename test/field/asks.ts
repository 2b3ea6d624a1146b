/** Requests that the field tests let servers send, as the steps and rounds of the test servers. */
import type { Step, StepOutcome } from '../support/asking.js';
import type { Revealed } from './revealing.js';

/** The compiled handler module of these tests. */
export const revealingHandler: URL = new URL('./revealing.js', import.meta.url);

export const formParams = (message: string): object => ({
  message,
  requestedSchema: { type: 'object', properties: { told: { type: 'string' } }, required: ['told'] },
});

export const samplingParams = (text: string): object => ({
  messages: [{ role: 'user', content: { type: 'text', text } }],
  maxTokens: 50,
});

export const askForm = (message: string, more: Partial<Extract<Step, { ask: string }>> = {}): Step => ({
  ...more,
  ask: 'elicitation/create',
  params: formParams(message),
});

export const askSampling = (text: string): Step => ({ ask: 'sampling/createMessage', params: samplingParams(text) });

/** What the handler module revealed in the answer to `askForm`. */
export function revealedIn(outcome: StepOutcome | undefined): Revealed {
  const { result } = outcome as { readonly result: { readonly content: { readonly told: string } } };
  return JSON.parse(result.content.told) as Revealed;
}
