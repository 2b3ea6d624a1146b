/** A server that needs the person at a page of its own, for what must not pass through a host: a password, a payment. */
import { inputRequired, inputResponse, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

function createServer(): McpServer {
  const server = new McpServer({ name: 'accounts', version: '1.0.0' });
  server.registerTool(
    'connect-account',
    // A real server makes the address itself. This one takes it from its caller, so that the host can show what it does with each.
    { description: 'Connects an account', inputSchema: z.object({ page: z.string() }) },
    ({ page }, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'page');
      if (answer.kind === 'missing') {
        const request = inputRequired.elicitUrl({ message: 'Please sign in to connect your account.', url: page });
        return inputRequired({ inputRequests: { page: request } });
      }
      // `accept` is consent to open the page. Whether the person got through it, only the page knows: see ../completion.
      const opened = answer.kind === 'elicit' && answer.action === 'accept';
      return { content: [{ type: 'text', text: opened ? 'waiting for the sign-in' : 'not connected' }] };
    },
  );
  return server;
}

serveStdio(createServer);
