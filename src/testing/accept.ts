/**
 * A handler module that says yes to everything, for tests of the host around it: forms get their defaults and the smallest
 * valid values, URLs are accepted unopened, sampling says "auto", and there are no roots. It never belongs into a product, and
 * says so on stderr whenever it is loaded. Hand it over by {@link autoAcceptHandler} of `mcp-bulkhead/testing`.
 */
import type { ElicitationMode, ElicitationParams, ElicitationResult, RootsResult, SamplingResult } from '../contract/handler.js';
import { minimalContent } from './minimal.js';

console.error('mcp-bulkhead/testing: the auto-accept handler is loaded. It ACCEPTS EVERYTHING and is for tests only.');

export const elicitationModes: readonly ElicitationMode[] = ['form', 'url'];

export function handleElicitation(params: ElicitationParams): ElicitationResult {
  if (params.mode === 'url') return { action: 'accept' };
  return { action: 'accept', content: minimalContent(params.requestedSchema) };
}

export function handleSampling(): SamplingResult {
  return { role: 'assistant', content: { type: 'text', text: 'auto' }, model: 'auto' };
}

export function listRoots(): RootsResult {
  return { roots: [] };
}
