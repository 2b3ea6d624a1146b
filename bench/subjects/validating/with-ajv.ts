/** The same with ajv in the bundle. */
import { Ajv } from 'ajv';
import type { SamplingParams, SamplingResult } from '../../../src/contract/handler.js';
import { answered } from './answered.js';

const message = { type: 'object', required: ['role', 'content'], properties: { role: { enum: ['user', 'assistant'] } } };
const schema = {
  type: 'object',
  required: ['messages', 'maxTokens'],
  properties: { messages: { type: 'array', items: message }, maxTokens: { type: 'integer', minimum: 1 } },
};
const validate = new Ajv().compile(schema);

export function handleSampling(params: SamplingParams): SamplingResult {
  return answered(params, validate(params));
}
