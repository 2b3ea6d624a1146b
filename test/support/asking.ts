/**
 * A legacy server that does what its caller says: the tool `ask` plays a list of steps (ask the client for something, wait,
 * log, report progress, notify, ping, drop its event stream) and returns what came of each. So a test's scenario is data, and
 * the requests reach the wire exactly as written, also where they are wrong.
 */
import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';

export type Step =
  /** Sends a request. `standalone`: on the GET stream instead of the call's. `cancelAfter`: gives it up after so many ms. */
  | {
      readonly ask: string;
      readonly params?: object;
      readonly on?: 'call' | 'standalone';
      readonly cancelAfter?: number;
      readonly timeout?: number;
    }
  /** Several steps at the same time; their outcomes are one array. */
  | { readonly together: readonly Step[] }
  | { readonly wait: number }
  | { readonly log: unknown; readonly level?: 'debug' | 'info' | 'warning' | 'error'; readonly logger?: string }
  | { readonly progress: number; readonly total?: number }
  | { readonly notify: string; readonly params?: Record<string, unknown>; readonly on?: 'call' | 'standalone' }
  /** Closes this call's event stream, so that the client must resume it by `Last-Event-ID`. */
  | { readonly dropStream: true }
  /** Ends the server's process, as a crash would; over stdio only. */
  | { readonly die: true };

/** What came of a step: an answer, an error of the client, or nothing for steps that ask for nothing. */
export type StepOutcome =
  | { readonly result: unknown }
  | { readonly error: { readonly code: unknown; readonly message: string; readonly data?: unknown } }
  | null
  | readonly StepOutcome[];

const anything = z.any();
const stepsSchema = z.object({ steps: z.array(z.any()) });
const outcomesSchema = z.object({ outcomes: z.array(z.any()) });

export function createAskingServer(): McpServer {
  const server = new McpServer({ name: 'asking', version: '1.0.0' }, { capabilities: { tools: {}, logging: {} } });
  const play = async (steps: readonly Step[], context: ServerContext) => {
    const outcomes: StepOutcome[] = [];
    for (const step of steps) outcomes.push(await playStep(step, server, context));
    return { content: [{ type: 'text' as const, text: JSON.stringify(outcomes) }], structuredContent: { outcomes } };
  };
  server.registerTool('ask', { inputSchema: stepsSchema }, async ({ steps }, context) => {
    const { content } = await play(steps as Step[], context);
    return { content };
  });
  server.registerTool('ask-structured', { inputSchema: stepsSchema, outputSchema: outcomesSchema }, ({ steps }, context) =>
    play(steps as Step[], context),
  );
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, async ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  return server;
}

async function playStep(step: Step, server: McpServer, context: ServerContext): Promise<StepOutcome> {
  if ('ask' in step) return await ask(step, server, context);
  if ('together' in step) return await Promise.all(step.together.map((one) => playStep(one, server, context)));
  if ('wait' in step) await new Promise((resolve) => setTimeout(resolve, step.wait));
  else if ('log' in step) await context.mcpReq.log(step.level ?? 'info', step.log, step.logger);
  else if ('progress' in step) await reportProgress(step, context);
  else if ('notify' in step) await notify(step, server, context);
  else if ('die' in step) process.kill(process.pid, 'SIGKILL');
  else context.http?.closeSSE?.();
  return null;
}

async function ask(step: Extract<Step, { ask: string }>, server: McpServer, context: ServerContext): Promise<StepOutcome> {
  const request = { method: step.ask, ...(step.params === undefined ? {} : { params: { ...step.params } }) };
  const abort = new AbortController();
  const timer = step.cancelAfter === undefined ? undefined : setTimeout(() => abort.abort('given up'), step.cancelAfter);
  const options = { timeout: step.timeout ?? 30_000, signal: abort.signal };
  try {
    if (step.on === 'standalone') return { result: await server.server.request(request, anything, options) };
    return { result: await context.mcpReq.send(request, anything, options) };
  } catch (error) {
    const { code, message, data } = error as { code: unknown; message: string; data?: unknown };
    return { error: data === undefined ? { code, message } : { code, message, data } };
  } finally {
    clearTimeout(timer);
  }
}

async function reportProgress(step: Extract<Step, { progress: number }>, context: ServerContext): Promise<void> {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  await context.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...step } });
}

async function notify(step: Extract<Step, { notify: string }>, server: McpServer, context: ServerContext): Promise<void> {
  const notification = { method: step.notify, ...(step.params === undefined ? {} : { params: step.params }) };
  await (step.on === 'standalone' ? server.server.notification(notification) : context.mcpReq.notify(notification));
}

/** The outcomes in a result of `ask`. */
export function outcomesOf(result: { readonly content?: unknown }): readonly StepOutcome[] {
  const [block] = (result.content ?? []) as readonly { readonly text?: string }[];
  return JSON.parse(block?.text ?? 'null') as StepOutcome[];
}
