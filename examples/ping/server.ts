/** A server that pings its host while it waits for it: a host that is thinking is not a host that is gone. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const form = {
  message: 'How much is it?',
  requestedSchema: { type: 'object', properties: { sum: { type: 'integer' } } },
} as const;

function createServer(): McpServer {
  const server = new McpServer({ name: 'patient', version: '1.0.0' });
  // Revision 2026-07-28 has neither a server's ping nor its requests: there the host asks, and nothing hangs while it thinks.
  server.registerTool('ask-and-ping', { description: 'Pings the host while it answers a form' }, async ({ mcpReq }) => {
    let pings = 0;
    let waiting = true;
    const answer = mcpReq.elicitInput(form).finally(() => {
      waiting = false;
    });
    while (waiting) {
      await server.server.ping();
      if (waiting) pings++;
    }
    const { content } = await answer;
    return { content: [{ type: 'text', text: `${content?.sum}, after ${pings} pings` }], isError: pings === 0 };
  });
  return server;
}

serveStdio(createServer);
