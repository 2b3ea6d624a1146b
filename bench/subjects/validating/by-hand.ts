/** A callback that validates what it is asked with our interpreter of forms: a plugin of a few kilobytes. */
import { formFaults } from '../../../src/contract/form.js';
import type { FormSchema, SamplingParams, SamplingResult } from '../../../src/contract/handler.js';
import { answered } from './answered.js';

const schema: FormSchema = {
  type: 'object',
  properties: { maxTokens: { type: 'integer', minimum: 1 } },
  required: ['maxTokens'],
};

export function handleSampling(params: SamplingParams): SamplingResult {
  const faults = formFaults(schema, { maxTokens: params.maxTokens }, (pattern, text) => text.includes(pattern));
  const roles = params.messages.every(({ role }) => role === 'user' || role === 'assistant');
  return answered(params, roles && faults.length === 0);
}
