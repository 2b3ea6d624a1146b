/** A server that works in the folders its host lets it see, and asks again when they have changed. */
import { inputRequired, inputResponse, type McpRequestContext, McpServer, type Root } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

function createServer({ era }: McpRequestContext): McpServer {
  const server = new McpServer({ name: 'search', version: '1.0.0' });
  let known: readonly Root[] | undefined;
  // Older hosts tell when the folders have changed, so an answer holds until then. Revision 2026-07-28 has no such notice.
  server.server.setNotificationHandler('notifications/roots/list_changed', () => {
    known = undefined;
  });
  server.registerTool('list-folders', { description: 'Tells where it may look' }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'roots');
    const roots = answer.kind === 'roots' ? answer.roots : known;
    if (roots === undefined) return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
    if (era === 'legacy') known = roots;
    const text = roots.map(({ uri, name }) => name ?? uri).join(', ');
    return { content: [{ type: 'text', text }], structuredContent: { folders: roots.length } };
  });
  return server;
}

serveStdio(createServer);
