/** The answer all validating callbacks give: how much text they read. */
import type { SamplingParams, SamplingResult, TextContent } from '../../../src/contract/handler.js';

export function answered({ messages }: SamplingParams, sound: boolean): SamplingResult {
  const read = messages.reduce((sum, { content }) => sum + (content as TextContent).text.length, 0);
  return { role: 'assistant', content: { type: 'text', text: sound ? String(read) : 'invalid' }, model: 'bench' };
}
