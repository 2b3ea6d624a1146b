/** The callback of the overhead benches, as a handler module: it reads every message and answers with their length. */
import type { SamplingCallback, SamplingMessage } from '../../src/contract/handler.js';

const lengthOf = ({ content }: SamplingMessage): number => ('text' in content ? content.text.length : 0);

export const handleSampling: SamplingCallback = async ({ messages }) => {
  let length = 0;
  for (const message of messages) length += lengthOf(message);
  return { role: 'assistant', content: { type: 'text', text: String(length) }, model: 'bench' };
};
