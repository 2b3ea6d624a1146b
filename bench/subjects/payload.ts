/**
 * What is sent in the overhead benches: a sampling request as a chat would make it, messages of one kilobyte up to the wanted
 * size, and an answer that says how much text was read, so that a check sees that the callback truly ran on all of it.
 */
import type { ContextData, SamplingParams, SamplingResult } from '../../src/contract/handler.js';

const kilobyte = 'the quick brown fox jumps over the lazy dog; '.repeat(23).slice(0, 1024);

export function payloadOf(bytes: number): SamplingParams {
  const messages = Array.from({ length: Math.max(1, Math.round(bytes / 1024)) }, (_, at) => ({
    role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: { type: 'text' as const, text: kilobyte },
  }));
  return { messages, maxTokens: 1000 };
}

export const context: ContextData = Object.freeze({
  client: 'bench',
  serverId: 'server',
  era: 'legacy',
  assigns: {},
  relatedRequestId: null,
  kind: 'sampling',
  requestId: 1,
  deadline: 4_102_444_800_000,
  serverInfo: null,
});

export const answerFor = (bytes: number): ((answer: unknown) => boolean) => {
  const text = String(Math.max(1, Math.round(bytes / 1024)) * 1024);
  return (answer) => ((answer as SamplingResult | undefined)?.content as { text?: unknown } | undefined)?.text === text;
};
