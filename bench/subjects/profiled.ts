/**
 * The callback of the overhead benches beside a profiler of its own thread: as a handler module, and as the worker file of Piscina.
 * Asked with {@link begin} it starts the profiler, with {@link end} it answers with the profile.
 */
import type { CallbackContext, SamplingCallback, SamplingParams, SamplingResult } from '../../src/contract/handler.js';
import { handleSampling as work } from './callback.js';
import { openProfiler } from './profiler.js';
import type { Work } from './threaded.js';

const command = (text: string): SamplingParams => ({
  messages: [{ role: 'user', content: { type: 'text', text } }],
  maxTokens: 1,
});

export const begin: SamplingParams = command('begin the profile');
export const end: SamplingParams = command('end the profile');

const profiler = openProfiler();

export const handleSampling: SamplingCallback = async (params, context) => {
  const said = params.messages[0]?.content;
  const text = said !== undefined && 'text' in said ? said.text : undefined;
  if (text === 'begin the profile') return answer((await profiler.begin()) ?? '');
  if (text === 'end the profile') return answer(JSON.stringify(await profiler.end()));
  return work(params, context);
};

const answer = (text: string): SamplingResult => ({ role: 'assistant', content: { type: 'text', text }, model: 'bench' });

export default async ({ params, context }: Work): Promise<SamplingResult> =>
  (await handleSampling(params, context as CallbackContext)) as SamplingResult;
