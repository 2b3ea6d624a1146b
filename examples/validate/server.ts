/** A server that is particular: every field has rules, and an answer that breaks one is not what it asked for. */
import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const Parcel = z.object({
  email: z.email().describe('Where the label goes'),
  pickup: z.iso.date(),
  kilos: z.number().min(0.1).max(30),
  pieces: z.int().min(1),
});

function createServer(): McpServer {
  const server = new McpServer({ name: 'parcels', version: '1.0.0' });
  server.registerTool('send-parcel', { description: 'Orders a pick-up' }, ({ mcpReq }) => {
    const { inputResponses } = mcpReq;
    if (inputResponses === undefined) {
      const form = { message: 'What shall we pick up, and when?', requestedSchema: Parcel };
      return inputRequired({ inputRequests: { parcel: inputRequired.elicit(form) } });
    }
    // The host has checked the answer against the form, but a server checks again: it cannot know which host it talks to.
    const parcel = acceptedContent(inputResponses, 'parcel', Parcel);
    const text = parcel === undefined ? 'Nothing to pick up.' : `${parcel.kilos} kg, label to ${parcel.email}.`;
    return { content: [{ type: 'text', text }], isError: parcel === undefined };
  });
  return server;
}

serveStdio(createServer);
