/** A callback that loops for ever where it is asked to, and answers otherwise: as a handler module. */
import type { SamplingCallback } from '../../src/contract/handler.js';

export const handleSampling: SamplingCallback = ({ maxTokens }) => {
  if (maxTokens === 1) for (;;);
  return { role: 'assistant', content: { type: 'text', text: String(maxTokens) }, model: 'bench' };
};
