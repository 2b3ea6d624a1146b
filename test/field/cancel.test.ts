// Giving a call up over Streamable HTTP in the modern era: its stream is closed, and that is all the server hears.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { createBulkhead } from '../../src/index.js';
import { serveModern } from '../support/http.js';

test('B59: modern HTTP closes the stream of a call that is given up, by its signal or by cancel, and sends nothing', async () => {
  const events: string[] = [];
  let wake = (): void => {};
  const told = async (count: number): Promise<void> => {
    while (events.length < count)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };
  const note = (event: string): void => {
    events.push(event);
    wake();
  };
  const served = await serveModern(() => {
    const server = new McpServer({ name: 'slow', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.registerTool('hang', {}, async ({ mcpReq: { signal } }) => {
      signal.addEventListener('abort', () => note('gone'));
      note('running');
      return new Promise<never>(() => {});
    });
    return server;
  });
  const bodies: string[] = [];
  const transport = new StreamableHTTPClientTransport(served.url, {
    fetch: (url, init) => {
      bodies.push(String(init?.body));
      return fetch(url, init);
    },
  });
  const bulkhead = await createBulkhead();
  const connection = await bulkhead.connect(transport, { serverId: 'slow' });

  const controller = new AbortController();
  const first = assert.rejects(connection.callTool({ name: 'hang' }, { signal: controller.signal }), { kind: 'cancelled' });
  await told(1);
  controller.abort();
  await first;
  await told(2);

  const second = assert.rejects(connection.callTool({ name: 'hang' }), { kind: 'cancelled' });
  await told(3);
  const [{ id } = assert.fail('no call')] = connection.pendingCalls();
  assert.equal(connection.cancel(id), true);
  await second;
  await told(4);

  const plain = assert.rejects(connection.client.callTool({ name: 'hang' }));
  await told(5);
  const [{ id: other } = assert.fail('no call')] = connection.pendingCalls();
  assert.equal(connection.cancel(other), true);
  await plain;
  await told(6);

  assert.deepEqual(events, ['running', 'gone', 'running', 'gone', 'running', 'gone']);
  assert.ok(bodies.some((body) => body.includes('tools/call')));
  assert.ok(!bodies.some((body) => body.includes('notifications/')), 'nothing but requests was sent');
  await bulkhead.close();
  await served.close();
});
