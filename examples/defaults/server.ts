/** A server whose form comes filled in: with what it knows already, falsy values included. */
import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const Print = z.object({
  copies: z.int().min(1).default(1),
  colour: z.boolean().default(false),
  paper: z.enum(['A4', 'A3', 'Letter']).default('A4'),
  note: z.string().default(''),
  name: z.string(),
});

// What goes over the wire is the input side of a schema, so that a default makes its field optional; what is read is the output.
const form = { message: 'How shall it be printed?', requestedSchema: Print };

function createServer(): McpServer {
  const server = new McpServer({ name: 'printer', version: '1.0.0' });
  server.registerTool('print', { description: 'Prints a page' }, ({ mcpReq }) => {
    if (mcpReq.inputResponses === undefined) return inputRequired({ inputRequests: { print: inputRequired.elicit(form) } });
    // Without a schema: what the client sent and nothing else, so that we see who has filled in the defaults.
    const sent = acceptedContent(mcpReq.inputResponses, 'print');
    const complete = Object.keys(Print.shape).every((field) => sent !== undefined && field in sent);
    return { content: [{ type: 'text', text: JSON.stringify(sent ?? null) }], isError: !complete };
  });
  return server;
}

serveStdio(createServer);
