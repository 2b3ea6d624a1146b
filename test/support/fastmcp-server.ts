/**
 * A server on the published framework `fastmcp`, over stdio: asks for a form and a URL through its tool context, for sampling
 * through its session, and shows the roots that its session has collected.
 */
import { FastMCP } from 'fastmcp';
import * as z from 'zod';
import { fastmcpTools } from './published.js';

const server = new FastMCP({ name: 'on-fastmcp', version: '1.0.0', logger: console });

server.addTool({
  name: fastmcpTools.form,
  description: 'Asks who is travelling.',
  execute: async (_args, { elicit }) =>
    JSON.stringify(
      await elicit({
        message: 'Who is travelling?',
        requestedSchema: {
          type: 'object',
          properties: { name: { type: 'string', title: 'Name' }, seats: { type: 'integer', minimum: 1, maximum: 9 } },
          required: ['name'],
        },
      }),
    ),
});

server.addTool({
  name: fastmcpTools.url,
  description: 'Asks to open a page.',
  parameters: z.object({ url: z.string() }),
  execute: async ({ url }, { elicit }) =>
    JSON.stringify(await elicit({ mode: 'url', message: 'Please sign in.', url, elicitationId: 'sign-in-1' })),
});

server.addTool({
  name: fastmcpTools.sampling,
  description: 'Asks the model of the client.',
  parameters: z.object({ prompt: z.string() }),
  execute: async ({ prompt }) =>
    JSON.stringify(
      await server.sessions[0]?.requestSampling({
        messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
        maxTokens: 100,
      }),
    ),
});

server.addTool({
  name: fastmcpTools.roots,
  description: 'Shows the roots that the client has given.',
  execute: async () => JSON.stringify(server.sessions[0]?.roots ?? null),
});

await server.start({ transportType: 'stdio' });
