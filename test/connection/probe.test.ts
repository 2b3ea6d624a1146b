import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { createBulkhead } from '../../src/bulkhead.js';
import { createScriptedServer, rpcError } from '../../src/testing/index.js';
import { various } from '../support/host.js';
import { settle } from '../support/rig.js';

test('B27: a legacy server that answers the probe late does not turn its session modern, and the probe leaves the books', async () => {
  const bulkhead = await createBulkhead({ handler: various, isolation: 'inline' });
  const server = createScriptedServer();
  let probe: string | number | undefined;
  server.onCall('server/discover', ({ id }) => {
    if (probe !== undefined) return rpcError(-32601, 'unknown');
    probe = id;
    return undefined;
  });
  const client = new Client(
    { name: 'c', version: '1' },
    { versionNegotiation: { mode: 'auto', probe: { timeoutMs: 30, maxRetries: 1 } } },
  );
  const connection = bulkhead.attach(server.transport as never, { serverId: 's', client });
  await client.connect(server.transport as never);
  assert.equal(connection.era, 'legacy');
  assert.deepEqual(connection.pendingCalls(), []);
  server.respond(probe as never, {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: {},
    ttlMs: 0,
    cacheScope: 'none',
  });
  await settle();
  assert.equal(connection.era, 'legacy');
  assert.equal((await server.request('roots/list')).error, undefined);
  await bulkhead.close();
});
