/**
 * A tool that asks twice. Between two rounds it keeps nothing: what it knows so far travels sealed with its caller, so that another
 * process, with the same keys, could take the next round. Sealed is signed, not secret: the caller can read it.
 */
import { randomBytes } from 'node:crypto';
import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { createKeyRing } from './keys.js';

const Payee = z.object({ to: z.string().min(1) });
const Amount = z.object({ amount: z.number().min(0.01) });
type SoFar = z.infer<typeof Payee>;

const keys = createKeyRing<SoFar>(randomBytes(32));

function createServer(): McpServer {
  // Whatever comes back is verified before the tool is entered; it reads only what a key of ours has sealed.
  const server = new McpServer({ name: 'bank', version: '1.0.0' }, { requestState: { verify: keys.verify } });

  server.registerTool('transfer', { description: 'Transfers money' }, async (context) => {
    const { inputResponses, requestState } = context.mcpReq;
    const soFar = requestState<SoFar>() ?? acceptedContent(inputResponses, 'payee', Payee);
    if (soFar === undefined) {
      const form = { message: 'To whom?', requestedSchema: Payee };
      return inputRequired({ inputRequests: { payee: inputRequired.elicit(form) } });
    }
    const amount = acceptedContent(inputResponses, 'amount', Amount);
    if (amount === undefined) {
      const form = { message: `How much to ${soFar.to}?`, requestedSchema: Amount };
      // The answers of this round do not come again with the next one, so what was learned from them goes into the state.
      return inputRequired({
        inputRequests: { amount: inputRequired.elicit(form) },
        requestState: await keys.mint(soFar, context),
      });
    }
    return { content: [{ type: 'text', text: `${amount.amount} to ${soFar.to}` }] };
  });

  // A real server does this by the clock, and shares the keys among its processes.
  server.registerTool('rotate-key', { description: 'Seals with a new key from now on' }, () => {
    keys.rotate(randomBytes(32));
    return { content: [] };
  });
  return server;
}

serveStdio(createServer);
