/**
 * A modern server that does what its caller says: the tool `rounds` (and a prompt and a resource of that name) returns one
 * `input_required` after the other, exactly as its argument spells them, and ends with everything it was sent on each leg.
 * Which leg it is on it remembers by `key`, so that rounds without `requestState` work as well.
 */
import { McpServer, ResourceTemplate, type ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';

/** One round: what goes into the `input_required` result, and what the server says before it. */
export interface Round {
  readonly inputRequests?: Readonly<Record<string, { readonly method: string; readonly params?: object }>>;
  readonly requestState?: string;
  readonly progress?: readonly number[];
  readonly log?: readonly unknown[];
}

export interface Script {
  /** Names the flow; use a fresh one for every call. */
  readonly key: string;
  readonly rounds: readonly Round[];
}

/** What the server received on one leg. */
export interface Leg {
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  readonly requestState?: string;
}

const scriptSchema = z.object({ key: z.string(), rounds: z.array(z.any()) });
const legsSchema = z.object({ legs: z.array(z.any()) });

type InputRequired = { resultType: 'input_required' } & Pick<Round, 'inputRequests' | 'requestState'>;

/** A factory for `createMcpHandler` and `serveStdio`; all servers it makes share what they remember. */
export function createRoundsFactory(): () => McpServer {
  const flows = new Map<string, Leg[]>();
  const next = (script: Script, context: ServerContext) => step(flows, script, context);
  return () => buildServer(next);
}

type Next = (script: Script, context: ServerContext) => Promise<InputRequired | { legs: readonly Leg[] }>;

function buildServer(next: Next): McpServer {
  const server = new McpServer(
    { name: 'rounds', version: '1.0.0' },
    { capabilities: { tools: {}, prompts: {}, resources: {}, logging: {} } },
  );
  server.registerTool('rounds', { inputSchema: scriptSchema }, async (script, context) => {
    const said = await next(script as Script, context);
    return 'legs' in said ? { content: [{ type: 'text', text: JSON.stringify(said.legs) }] } : (said as never);
  });
  server.registerTool('rounds-structured', { inputSchema: scriptSchema, outputSchema: legsSchema }, async (script, context) => {
    const said = await next(script as Script, context);
    const done = 'legs' in said ? { content: [{ type: 'text' as const, text: 'done' }], structuredContent: said } : said;
    return done as never;
  });
  server.registerPrompt('rounds', { argsSchema: z.object({ script: z.string() }) }, async ({ script }, context) => {
    const said = await next(JSON.parse(script) as Script, context);
    if (!('legs' in said)) return said as never;
    return { messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(said.legs) } }] };
  });
  const template = new ResourceTemplate('rounds://{script}', { list: undefined });
  server.registerResource('rounds', template, {}, async (uri, variables, context) => {
    const said = await next(JSON.parse(decodeURIComponent(String(variables.script))) as Script, context);
    return 'legs' in said ? { contents: [{ uri: uri.href, text: JSON.stringify(said.legs) }] } : (said as never);
  });
  return server;
}

async function step(flows: Map<string, Leg[]>, script: Script, context: ServerContext): ReturnType<Next> {
  const legs = flows.get(script.key) ?? [];
  flows.set(script.key, legs);
  legs.push(received(context));
  const round = script.rounds[legs.length - 1];
  if (round === undefined) {
    flows.delete(script.key);
    return { legs };
  }
  await speak(round, context);
  const { inputRequests, requestState } = round;
  return {
    resultType: 'input_required',
    ...(inputRequests === undefined ? {} : { inputRequests }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

function received(context: ServerContext): Leg {
  const requestState = context.mcpReq.requestState<string>();
  const { inputResponses } = context.mcpReq;
  return { ...(inputResponses === undefined ? {} : { inputResponses }), ...(requestState === undefined ? {} : { requestState }) };
}

async function speak(round: Round, context: ServerContext): Promise<void> {
  const progressToken = context.mcpReq._meta?.progressToken;
  for (const progress of progressToken === undefined ? [] : (round.progress ?? []))
    await context.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress } });
  for (const data of round.log ?? []) await context.mcpReq.log('info', data, 'rounds');
}

/** The URI of the resource that plays `script`. */
export function roundsUri(script: Script): string {
  return `rounds://${encodeURIComponent(JSON.stringify(script))}`;
}

/** The legs in a result of the tool `rounds`. */
export function legsOf(result: { readonly content?: unknown }): readonly Leg[] {
  const [block] = (result.content ?? []) as readonly { readonly text?: string }[];
  return JSON.parse(block?.text ?? 'null') as Leg[];
}
