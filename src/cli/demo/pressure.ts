/**
 * Two tools that put the host under pressure, legacy only since they push requests. `press` asks for sampling and measures
 * what else the host still answers until that is settled; `nag` asks more often than it should. Both report what the *server*
 * saw, so that the demo's claims about the wire are not the host's own word.
 */
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';

/** What `press` saw while its request was pending. Times in ms. */
export interface Press {
  readonly waited: number;
  /** The error code of the answer; 0 is a result. */
  readonly code: number;
  readonly pings: number;
  readonly slowestPing: number;
}

/** What `nag` was told, one code a request; 0 is a result. */
export interface Nag {
  readonly codes: readonly number[];
}

const pressSchema: z.ZodType<Press> = z.object({
  waited: z.number(),
  code: z.number(),
  pings: z.number(),
  slowestPing: z.number(),
});
const nagSchema: z.ZodType<Nag> = z.object({ codes: z.array(z.number()) });
const promptSchema: z.ZodType<{ prompt: string }> = z.object({ prompt: z.string() });
const timesSchema: z.ZodType<{ times: number }> = z.object({ times: z.number() });

export function addPressure(server: McpServer): void {
  server.registerTool('press', { inputSchema: promptSchema, outputSchema: pressSchema }, async ({ prompt }, context) =>
    structured(await press(prompt, context)),
  );
  server.registerTool('nag', { inputSchema: timesSchema, outputSchema: nagSchema }, async ({ times }, context) =>
    structured({ codes: await nag(times, context) }),
  );
}

function structured<T extends object>(value: T) {
  return { content: [{ type: 'text' as const, text: JSON.stringify(value) }], structuredContent: { ...value } };
}

async function press(prompt: string, context: ServerContext): Promise<Press> {
  const began = performance.now();
  let code: number | null = null;
  let waited = 0;
  const asked = ask(context, 'sampling/createMessage', {
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens: 100,
  }).then((answer) => {
    code = answer;
    waited = performance.now() - began;
  });
  const { pings, slowestPing } = await pingUntil(context, () => code !== null);
  await asked;
  return { waited, code: code ?? 0, pings, slowestPing };
}

async function pingUntil(context: ServerContext, done: () => boolean): Promise<Pick<Press, 'pings' | 'slowestPing'>> {
  let pings = 0;
  let slowestPing = 0;
  while (!done()) {
    const sent = performance.now();
    await context.mcpReq.send({ method: 'ping' });
    pings += 1;
    slowestPing = Math.max(slowestPing, performance.now() - sent);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return { pings, slowestPing };
}

async function nag(times: number, context: ServerContext): Promise<number[]> {
  const codes: number[] = [];
  for (let count = 0; count < times; count += 1) codes.push(await ask(context, 'roots/list'));
  return codes;
}

/** The error code a request was answered with; 0 for a result. */
async function ask(context: ServerContext, method: string, params?: Record<string, unknown>): Promise<number> {
  try {
    await context.mcpReq.send(params === undefined ? { method } : { method, params }, z.any());
    return 0;
  } catch (error) {
    return Number((error as { code?: unknown }).code);
  }
}
