/** A server that says how far it has got, to a caller that wants to hear it. */
import { setTimeout } from 'node:timers/promises';
import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

async function report({ mcpReq }: ServerContext, progress: number, total: number): Promise<void> {
  // The token is the caller's and names this call. A call without one has asked for no progress, and gets none.
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  const params = { progressToken, progress, total, message: `file ${progress}` };
  await mcpReq.notify({ method: 'notifications/progress', params });
}

function createServer(): McpServer {
  const server = new McpServer({ name: 'indexer', version: '1.0.0' });
  server.registerTool(
    'index',
    { description: 'Indexes files', inputSchema: z.object({ files: z.int().positive() }) },
    async ({ files }, context) => {
      for (let done = 1; done <= files; done++) {
        await setTimeout(100, undefined, { signal: context.mcpReq.signal });
        await report(context, done, files);
      }
      return { content: [{ type: 'text', text: `${files} files` }] };
    },
  );
  return server;
}

serveStdio(createServer);
