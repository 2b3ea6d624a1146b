/** A server that stops when it is told to, between two steps of its work, and takes a question back that came too late. */
import { setTimeout } from 'node:timers/promises';
import { inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const form = { message: 'Which one?', requestedSchema: { type: 'object', properties: { one: { type: 'string' } } } } as const;

const say = (text: string) => ({ content: [{ type: 'text' as const, text }] });

/** A minute of work. Between two steps everything is in order, so that is the place to look whether anybody still wants it. */
async function work(signal: AbortSignal): Promise<string> {
  for (let step = 1; step <= 600; step++) {
    if (signal.aborted) return `stopped before step ${step} of 600`;
    await setTimeout(100);
  }
  return 'done';
}

let last = Promise.resolve('nothing has been done yet');

function createServer(): McpServer {
  const server = new McpServer({ name: 'worker', version: '1.0.0' });

  // Whoever has given a call up hears nothing more of it: what is returned then goes nowhere.
  server.registerTool('work', { description: 'Works for a minute' }, async ({ mcpReq }) => {
    last = work(mcpReq.signal);
    return say(await last);
  });
  server.registerTool('last', { description: 'Tells what became of the work' }, async () => say(await last));

  server.registerTool('ask', { description: 'Asks, for as long as it takes' }, () =>
    inputRequired({ inputRequests: { one: inputRequired.elicit(form) } }),
  );

  // Only before 2026-07-28 is a question a request of the server's own, which it can cancel.
  server.registerTool('ask-briefly', { description: 'Asks, for a moment' }, async ({ mcpReq }) => {
    const answer = await mcpReq.elicitInput(form, { signal: AbortSignal.timeout(500) }).catch(() => undefined);
    return say(answer?.action ?? 'went on without an answer');
  });
  return server;
}

serveStdio(createServer);
