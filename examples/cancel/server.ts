/** A server that stops when it is told to, between two steps of its work, and takes a question back that came too late. */
import { setTimeout } from 'node:timers/promises';
import { inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const form = { message: 'Which one?', requestedSchema: { type: 'object', properties: { one: { type: 'string' } } } } as const;

/** What happened to the work that was given up: its caller does not wait for an answer any more. */
let last = 'nothing was given up';

function createServer(): McpServer {
  const server = new McpServer({ name: 'worker', version: '1.0.0' });

  server.registerTool('work', { description: 'Works for a minute' }, async ({ mcpReq }) => {
    for (let step = 1; step <= 600; step++) {
      await setTimeout(100);
      // Between two steps everything is in order, so this is the place to stop. What is returned then goes nowhere.
      if (mcpReq.signal.aborted) {
        last = `stopped early: ${step < 600}`;
        break;
      }
    }
    return { content: [] };
  });

  server.registerTool('last', { description: 'Tells what became of the work' }, () => ({
    content: [{ type: 'text', text: last }],
  }));

  server.registerTool('ask', { description: 'Asks, for as long as it takes' }, () =>
    inputRequired({ inputRequests: { one: inputRequired.elicit(form) } }),
  );

  // Only before 2026-07-28 is the question a request of the server's own, which it can cancel.
  server.registerTool('ask-briefly', { description: 'Asks, for a moment' }, async ({ mcpReq }) => {
    const answer = await mcpReq.elicitInput(form, { signal: AbortSignal.timeout(200) }).catch(() => undefined);
    return { content: [{ type: 'text', text: answer?.action ?? 'went on without an answer' }] };
  });
  return server;
}

serveStdio(createServer);
