/** A server whose tool needs something from the person: it pauses with a form, and is called again with the answer. */
import { acceptedContent, inputRequired, inputResponse, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const Booking = z.object({
  name: z.string().min(1).describe('On whose name'),
  seats: z.int().min(1).max(8),
  window: z.boolean().describe('A table at the window'),
});

function createServer(): McpServer {
  const server = new McpServer({ name: 'bookings', version: '1.0.0' });
  server.registerTool(
    'book-table',
    {
      description: 'Books a table',
      inputSchema: z.object({ restaurant: z.string() }),
      outputSchema: z.object({ seats: z.int() }),
    },
    ({ restaurant }, { mcpReq }) => {
      // Revision 2026-07-28 sends this as the tool's result. Before it, the package asks the client, then calls the tool again.
      if (inputResponse(mcpReq.inputResponses, 'booking').kind === 'missing') {
        const form = { message: `A table at ${restaurant}: for whom?`, requestedSchema: Booking };
        return inputRequired({ inputRequests: { booking: inputRequired.elicit(form) } });
      }
      // Undefined for a decline, and for content that does not fit: a client's answer is input like any other.
      const booking = acceptedContent(mcpReq.inputResponses, 'booking', Booking);
      const text = booking === undefined ? 'Nothing was booked.' : `${booking.seats} seats for ${booking.name}, confirmed.`;
      return { content: [{ type: 'text', text }], structuredContent: { seats: booking?.seats ?? 0 } };
    },
  );
  return server;
}

// One factory for both eras: the client's first message decides which one a connection speaks.
serveStdio(createServer);
