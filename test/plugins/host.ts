/** A bulkhead with a plugin behind it, between the official client and a scripted server. */
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { type Bulkhead, createBulkhead } from '../../src/bulkhead.js';
import type { Connection } from '../../src/connection/face.js';
import { buildPlugin } from '../../src/plugin/build.js';
import type { BulkheadOptions, ConnectionOptions } from '../../src/settings.js';
import { createScriptedServer, type ScriptedServer } from '../../src/testing/index.js';
import { folder } from './given.js';

export interface PluginHost {
  readonly bulkhead: Bulkhead;
  readonly connection: Connection;
  readonly server: ScriptedServer;
}

export async function openPluginHost(
  t: TestContext,
  options: BulkheadOptions,
  given: Partial<ConnectionOptions> = {},
): Promise<PluginHost> {
  const bulkhead = await createBulkhead(options);
  t.after(() => bulkhead.close());
  const server = createScriptedServer({ era: 'legacy' });
  const client = new Client({ name: 'host', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const connection = bulkhead.attach(server.transport as never, { serverId: 'scripted', client: client as never, ...given });
  await client.connect(server.transport as never);
  return { bulkhead, connection, server };
}

/** Builds an example of the repository into a folder of the test; gives the completed manifest's path. */
export async function buildExample(t: TestContext, name: string): Promise<string> {
  const home = fileURLToPath(new URL(`../../../examples/plugins/${name}`, import.meta.url));
  const request = { entry: join(home, 'plugin.ts'), manifest: join(home, 'plugin.manifest.json'), out: folder(t) };
  const built = await buildPlugin(request);
  if (!built.ok) throw new Error(JSON.stringify(built.complaints));
  return built.path;
}
