/** A callback that burns processor time: `maxTokens` milliseconds of it. Answers with the turns it made. */
import type { SamplingCallback } from '../../src/contract/handler.js';

export const handleSampling: SamplingCallback = async ({ maxTokens }) => {
  const until = Date.now() + maxTokens;
  let turns = 0;
  for (let x = 1; Date.now() < until; turns++) for (let step = 0; step < 1000; step++) x = (x * 48271) % 2147483647;
  return { role: 'assistant', content: { type: 'text', text: String(turns) }, model: 'bench' };
};
