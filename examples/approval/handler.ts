/** Answers sampling with a person in the loop, twice: before the model sees the prompt, and before the server sees the answer. */
import { refuse, type SamplingCallback, type SamplingMessage } from 'mcp-bulkhead/handler';
import type { Services } from './host.js';

function textOf({ content }: SamplingMessage): string {
  const blocks = 'type' in content ? [content] : content;
  return blocks.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join(' ');
}

export const handleSampling: SamplingCallback<Services> = async (params, { host }) => {
  const prompt = params.messages.map(textOf).join('\n');
  // `maxTokens` is the server's wish, already cut down to what this host allows.
  const { maxTokens } = params;
  if (!(await host.approve({ what: `a prompt of up to ${maxTokens} tokens`, text: prompt })))
    throw refuse(-1, 'the user rejected the prompt');
  const { text, model } = await host.complete({ prompt, maxTokens });
  if (!(await host.approve({ what: 'an answer', text }))) throw refuse(-1, 'the user rejected the answer');
  return { role: 'assistant', content: { type: 'text', text }, model, stopReason: 'endTurn' };
};
