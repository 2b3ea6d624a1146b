/**
 * Streamable HTTP servers on loopback. `serveSessions`: revision 2025-11-25, one server a session, POST event streams, the
 * standalone GET stream, resumption if asked for. `serveModern`: revision 2026-07-28, one server a request.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';
import { createEventStore } from './event-store.js';

export interface Served {
  readonly url: URL;
  close(): Promise<void>;
}

export interface ServedSessions extends Served {
  /** The live servers, in the order in which their sessions began; speak through one to use its standalone stream. */
  readonly servers: readonly McpServer[];
  /** Resolves when `count` standalone streams have been opened so far: what is sent before that is lost. */
  standaloneStreams(count: number): Promise<void>;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function listen(handle: Handle): Promise<Served> {
  const http = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  // An idle socket that the server closes just as the client uses it again would be a failure of neither.
  http.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}

export async function serveSessions(
  create: () => McpServer,
  options: { readonly resumable?: boolean } = {},
): Promise<ServedSessions> {
  const servers: McpServer[] = [];
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const streams = createCounter();
  const open = async () => {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      keepAliveMs: 0,
      retryInterval: 10,
      ...(options.resumable === true ? { eventStore: createEventStore() } : {}),
    });
    const server = create();
    servers.push(server);
    await server.connect(transport);
    return transport;
  };
  const served = await listen(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const transport = typeof id === 'string' ? sessions.get(id) : await open();
    if (transport === undefined) response.writeHead(404).end();
    else {
      if (request.method === 'GET' && request.headers['last-event-id'] === undefined) countHead(response, streams.add);
      await transport.handleRequest(request, response);
    }
  });
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()));
    await served.close();
  };
  return { ...served, servers, standaloneStreams: streams.reached, close };
}

/** Calls `opened` once the response has begun, which is when the transport can send on it. */
function countHead(response: ServerResponse, opened: () => void): void {
  const writeHead = response.writeHead.bind(response);
  response.writeHead = ((...args: Parameters<typeof writeHead>) => {
    setImmediate(opened);
    return writeHead(...args);
  }) as typeof response.writeHead;
}

function createCounter(): { add(): void; reached(count: number): Promise<void> } {
  let total = 0;
  const waiting = new Set<() => void>();
  return {
    add() {
      total += 1;
      for (const look of waiting) look();
    },
    reached: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (total < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

export async function serveModern(factory: () => McpServer): Promise<Served> {
  const handler = createMcpHandler(factory, { legacy: 'reject', keepAliveMs: 0 });
  const served = await listen(toNodeHandler(handler) as Handle);
  const close = async () => {
    await handler.close();
    await served.close();
  };
  return { ...served, close };
}
