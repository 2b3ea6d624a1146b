/**
 * The demo's own server, on the official server package: a travel desk whose tool `book-trip` needs a form, a page, a model
 * and a folder at once, and then a confirmation. It is written once and serves both eras. What it remembers between rounds
 * travels through the host, sealed.
 */
import { randomBytes } from 'node:crypto';
import { createRequestStateCodec, inputRequired, McpServer, type ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { addPressure } from './pressure.js';

/** What `book-trip` returns. */
export interface Trip {
  readonly destination: string;
  readonly nights: number;
  readonly suggestion: string;
  readonly folders: number;
  readonly confirmed: boolean;
}

const tripSchema: z.ZodType<Trip> = z.object({
  destination: z.string(),
  nights: z.number(),
  suggestion: z.string(),
  folders: z.number(),
  confirmed: z.boolean(),
});

type Draft = Omit<Trip, 'confirmed'>;

/** A factory for `serveStdio` and `createMcpHandler`; state is sealed with a key of this process. */
export function createDeskFactory(): () => McpServer {
  const sealed = createRequestStateCodec<Draft>({ key: randomBytes(32) });
  return () => {
    const server = new McpServer(
      { name: 'travel-desk', version: '1.0.0' },
      { capabilities: { tools: {} }, requestState: { verify: sealed.verify } },
    );
    server.registerTool('book-trip', { outputSchema: tripSchema }, async (context: ServerContext) => {
      const draft = context.mcpReq.requestState<Draft | undefined>();
      if (draft !== undefined) return structured({ ...draft, confirmed: isConfirmed(context) });
      const answered = readDraft(context);
      if (answered === null) return askEverything() as never;
      return inputRequired({ inputRequests: { confirm: confirmation }, requestState: await sealed.mint(answered) }) as never;
    });
    addPressure(server);
    return server;
  };
}

function structured(trip: Trip) {
  return { content: [{ type: 'text' as const, text: JSON.stringify(trip) }], structuredContent: { ...trip } };
}

function askEverything() {
  return inputRequired({
    inputRequests: {
      trip: inputRequired.elicit({
        message: 'Where to, and for how long?',
        requestedSchema: {
          type: 'object',
          properties: {
            destination: { type: 'string', title: 'Destination', minLength: 2 },
            nights: { type: 'integer', title: 'Nights', minimum: 1, maximum: 30 },
          },
          required: ['destination', 'nights'],
        },
      }),
      terms: inputRequired.elicitUrl({ message: 'Please accept the terms.', url: 'https://travel.example.com/terms' }),
      suggestion: inputRequired.createMessage({
        messages: [{ role: 'user', content: { type: 'text', text: 'What should one see there?' } }],
        maxTokens: 200,
      }),
      folder: inputRequired.listRoots(),
    },
  });
}

const confirmation = inputRequired.elicit({
  message: 'Book it?',
  requestedSchema: { type: 'object', properties: { agree: { type: 'boolean', title: 'Book it' } }, required: ['agree'] },
});

interface Answer {
  readonly action?: string;
  readonly content?: { readonly [name: string]: unknown };
  readonly roots?: readonly unknown[];
}

function answersOf(context: ServerContext): Readonly<Record<string, Answer>> {
  return (context.mcpReq.inputResponses ?? {}) as Record<string, Answer>;
}

/** What the first round brought; null if there was none yet. */
function readDraft(context: ServerContext): Draft | null {
  const { trip, suggestion, folder } = answersOf(context);
  if (trip === undefined) return null;
  return {
    destination: String(trip.content?.destination ?? 'nowhere'),
    nights: Number(trip.content?.nights ?? 0),
    suggestion: String(suggestion?.content?.text ?? ''),
    folders: folder?.roots?.length ?? 0,
  };
}

function isConfirmed(context: ServerContext): boolean {
  const { confirm } = answersOf(context);
  return confirm?.action === 'accept' && confirm.content?.agree === true;
}
