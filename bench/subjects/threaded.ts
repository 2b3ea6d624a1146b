/** The same callback as the worker file of Piscina and tinypool, which call a default export with one value. */
import type { CallbackContext, SamplingParams, SamplingResult } from '../../src/contract/handler.js';
import { handleSampling } from './callback.js';

export interface Work {
  readonly params: SamplingParams;
  readonly context: unknown;
}

export default async ({ params, context }: Work): Promise<SamplingResult> =>
  (await handleSampling(params, context as CallbackContext)) as SamplingResult;
