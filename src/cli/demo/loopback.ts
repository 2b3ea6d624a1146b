/** The travel desk over Streamable HTTP, on a free port of loopback. Revision 2026-07-28 only. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createDeskFactory } from './server.js';

export interface Loopback {
  readonly url: URL;
  close(): Promise<void>;
}

export async function serveDesk(): Promise<Loopback> {
  const handler = createMcpHandler(createDeskFactory(), { legacy: 'reject', keepAliveMs: 0 });
  const serve = toNodeHandler(handler) as (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  const isLocalHost = localhostHostValidation();
  const isLocalOrigin = localhostOriginValidation();
  const http = createServer((request, response) => {
    if (!isLocalHost(request, response) || !isLocalOrigin(request, response)) return;
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  // On a slow machine an idle socket would be closed just as it is used again.
  http.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`),
    close: async () => {
      await handler.close();
      await new Promise<void>((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      });
    },
  };
}
