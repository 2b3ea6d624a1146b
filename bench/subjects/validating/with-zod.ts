/** The same with zod in the bundle. */
import { z } from 'zod';
import type { SamplingParams, SamplingResult } from '../../../src/contract/handler.js';
import { answered } from './answered.js';

const Params = z.looseObject({
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant']), content: z.looseObject({ text: z.string() }) })),
  maxTokens: z.int().min(1),
});

export function handleSampling(params: SamplingParams): SamplingResult {
  return answered(params, Params.safeParse(params).success);
}
