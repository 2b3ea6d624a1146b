/**
 * A server that cannot go on before a person was at its page: the call fails with -32042 and names the page, and a notice tells the
 * host when the person is through. Revision 2025-11-25; later ones do this in rounds, as in ../url.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer, UrlElicitationRequiredError } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

/** What to do when the person has come through a page, by the page's path. */
const visits = new Map<string, () => void>();

// The page. A real one has https and a door of its own; this one is open, and on loopback.
const page = createHttpServer((request, response) => {
  visits.get(request.url ?? '')?.();
  response.end('Thank you. You can close this page.');
});
page.listen(0, '127.0.0.1').unref();
await once(page, 'listening');
const origin = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;

function createServer(): McpServer {
  const server = new McpServer({ name: 'mail', version: '1.0.0' });
  let signedIn = false;
  server.registerTool('list-mail', { description: 'Lists the mail' }, () => {
    if (signedIn) return { content: [{ type: 'text', text: '2 letters' }] };
    const elicitationId = randomUUID();
    const notify = server.server.createElicitationCompletionNotifier(elicitationId);
    visits.set(`/${elicitationId}`, () => {
      signedIn = true;
      void notify();
    });
    throw new UrlElicitationRequiredError([
      { mode: 'url', message: 'Please sign in to your mail.', elicitationId, url: `${origin}/${elicitationId}` },
    ]);
  });
  return server;
}

serveStdio(createServer);
