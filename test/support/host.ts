/** A whole bulkhead with real threads between the official client and a scripted server. */
import { Client } from '@modelcontextprotocol/client';
import { type Bulkhead, createBulkhead } from '../../src/bulkhead.js';
import type { Connection } from '../../src/connection/face.js';
import type { Era } from '../../src/contract/handler.js';
import type { BulkheadOptions } from '../../src/settings.js';
import { createScriptedServer, type ScriptedServer } from '../../src/testing/index.js';

export const various: URL = new URL('../../../test/fixtures/various.mjs', import.meta.url);

export interface Host extends AsyncDisposable {
  readonly bulkhead: Bulkhead;
  readonly connection: Connection;
  readonly client: Client;
  readonly server: ScriptedServer;
}

export async function openHost(
  options: BulkheadOptions & { readonly era?: Era; readonly script?: (server: ScriptedServer) => void } = {},
): Promise<Host> {
  const { era = 'legacy', script, ...given } = options;
  const bulkhead = await createBulkhead({ handler: various, ...given });
  const server = createScriptedServer({ era });
  script?.(server);
  const client = new Client({ name: 'host', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const connection = bulkhead.attach(server.transport as never, { serverId: 'scripted', client: client as never });
  await client.connect(server.transport as never);
  return { bulkhead, connection, client, server, [Symbol.asyncDispose]: () => bulkhead.close() };
}

/** An `elicitation/create` whose message says what the callback of `various.mjs` shall do. */
export function form(act: string, properties: object = {}): { readonly message: string; readonly requestedSchema: object } {
  return { message: act, requestedSchema: { type: 'object', properties } };
}
