/** A server that has no model of its own: its tool pauses until the host's has answered. */
import { inputRequired, inputResponse, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const instruction = 'Summarise in one sentence:';

function createServer(): McpServer {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  server.registerTool(
    'summarise',
    { description: 'Summarises a note', inputSchema: z.object({ note: z.string() }) },
    ({ note }, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'summary');
      if (answer.kind !== 'sampling') {
        const message = { role: 'user' as const, content: { type: 'text' as const, text: `${instruction} ${note}` } };
        const request = inputRequired.createMessage({ messages: [message], maxTokens: 100_000, temperature: 0.2 });
        return inputRequired({ inputRequests: { summary: request } });
      }
      const { content, model } = answer.result;
      // One block or several, text or not: what a model says is input too.
      const text = [content].flat().flatMap((block) => (block.type === 'text' ? [block.text] : []));
      return { content: [{ type: 'text', text: `${text.join(' ')} (${model})` }] };
    },
  );
  return server;
}

serveStdio(createServer);
