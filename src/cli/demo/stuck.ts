/**
 * A handler module that misbehaves: asked to think for ever it spins, where no signal can reach it and only killing the thread
 * stops it. Asked anything else it answers, so that the demo can show what goes on meanwhile and afterwards.
 */
import type { RootsCallback, SamplingCallback } from '../../contract/handler.js';

export const handleSampling: SamplingCallback = (params) => {
  if (JSON.stringify(params.messages).includes('for ever')) for (;;);
  return { role: 'assistant', model: 'none', content: { type: 'text', text: 'Still here.' } };
};

export const listRoots: RootsCallback = () => ({ roots: [] });
