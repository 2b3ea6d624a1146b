/**
 * Answers sampling with a line about the weather, asked of one HTTP origin that the host granted. The answer is parsed with
 * zod: a granted origin is still somebody else's machine.
 */
import { type CallbackContext, refuse, type SamplingParams, type SamplingResult } from 'mcp-bulkhead/handler';
import { z } from 'zod';

/** What this host has of `fetch`: text in, text out. */
declare const fetch: (address: string) => Promise<{ readonly ok: boolean; json(): Promise<unknown> }>;

const Report = z.object({ place: z.string().max(100), celsius: z.number().min(-100).max(100) });

export async function handleSampling(_params: SamplingParams, context: CallbackContext): Promise<SamplingResult> {
  const response = await fetch(`${String(context.assigns.weather)}/today?for=${encodeURIComponent(context.serverId)}`);
  if (!response.ok) throw refuse(-1, 'the weather service did not answer');
  const { place, celsius } = Report.parse(await response.json());
  const text = `In ${place} it is ${celsius.toFixed(1)} degrees.`;
  return { role: 'assistant', content: { type: 'text', text }, model: 'weather-1' };
}
