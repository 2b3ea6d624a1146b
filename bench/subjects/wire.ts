/**
 * A server that asks its host over an in-memory line, frames crossing as JSON text as on any transport, and the hosts that
 * answer it: the official client's own handler, a bulkhead in each tier, and a bare line, which is what wire and server cost by
 * themselves.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { type Bulkhead, createBulkhead } from '../../src/bulkhead.js';
import type { Case, Subject } from '../../src/cli/measure/compare.js';
import { standBy } from '../../src/cli/measure/tiers.js';
import type { CallbackContext } from '../../src/contract/handler.js';
import type { IsolationStats } from '../../src/isolation/isolation.js';
import { type Tier, tiers } from '../../src/options.js';
import { buildPlugin } from '../../src/plugin/build.js';
import { createLine, type MemoryTransport } from '../../src/testing/link.js';
import { handleSampling } from './callback.js';
import { handleElicitation } from './form.js';
import { nameOf } from './tiers.js';

/** What the server asks for, and how its answer is known. */
export interface Ask {
  readonly method: 'sampling/createMessage' | 'elicitation/create';
  readonly params: unknown;
  /** Of the JSON-RPC result. */
  check(result: unknown): boolean;
}

interface Frame {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string };
  readonly result?: unknown;
}

/** The server's end: it answers the handshake and asks. Unlike the scripted server of `testing/`, it remembers nothing. */
export interface Asking {
  readonly transport: MemoryTransport;
  request(method: string, params: unknown): Promise<Frame>;
  notify(method: string, params: unknown): void;
  close(): void;
}

export function createAsking(): Asking {
  const waiting = new Map<string | number, (frame: Frame) => void>();
  let last = 0;
  const line = createLine({
    frame(received) {
      const { id, method, params } = received as Frame;
      if (id === undefined) return;
      if (method === 'initialize') line.deliver({ jsonrpc: '2.0', id, result: handshake(params?.protocolVersion) });
      if (method !== undefined) return;
      waiting.get(id)?.(received as Frame);
      waiting.delete(id);
    },
    closed: () => {},
  });
  return {
    transport: line.transport,
    request: (method, params) =>
      new Promise((resolve) => {
        const id = ++last;
        waiting.set(id, resolve);
        line.deliver({ jsonrpc: '2.0', id, method, params });
      }),
    notify: (method, params) => line.deliver({ jsonrpc: '2.0', method, params }),
    close: line.close,
  };
}

const handshake = (asked = '2025-11-25'): unknown => ({
  protocolVersion: asked > '2025-11-25' ? '2025-11-25' : asked,
  capabilities: { tools: {}, logging: {} },
  serverInfo: { name: 'asking', version: '1' },
});

const info = { name: 'bench', version: '1' };
const capabilities = { sampling: {}, elicitation: { form: {} } };

/** The official client with its own handlers. */
export async function official(asking: Asking): Promise<() => Promise<void>> {
  const client = new Client(info, { capabilities });
  client.setRequestHandler(
    'sampling/createMessage',
    ({ params }) => handleSampling(params as never, {} as CallbackContext) as never,
  );
  client.setRequestHandler(
    'elicitation/create',
    ({ params }) => handleElicitation(params as never, {} as CallbackContext) as never,
  );
  await client.connect(asking.transport as never);
  return () => client.close();
}

/** A bulkhead whose budget never refuses; in the tiers of plugins, with the same module built into one. */
export async function openBulkhead(tier: Tier, threads: number, max = 16): Promise<Bulkhead> {
  const module = new URL('./answers.js', import.meta.url);
  const own = tier === 'inline' || tier === 'thread';
  const runs = own ? { handler: module } : { plugin: await built(fileURLToPath(module)) };
  const bulkhead = await createBulkhead({
    ...runs,
    isolation: tier,
    inputRateLimit: { perSecond: 1e6, burst: 1e6 },
    // Nothing is called here, the server just asks.
    sampling: { allowIdle: true },
    threads: { min: threads, max },
  });
  await standBy({ stats: () => bulkhead.stats().isolation[0] as IsolationStats }, threads);
  return bulkhead;
}

const folder: string = mkdtempSync(join(tmpdir(), 'mcp-bulkhead-bench-plugin-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** The path of a manifest that asks for nothing. */
async function built(entry: string): Promise<string> {
  const result = await buildPlugin({ entry, manifest: join(folder, 'plugin.manifest.json'), out: join(folder, 'dist') });
  if (!result.ok) throw new Error(`no plugin: ${result.complaints[0]?.reason}`);
  return result.path;
}

/** A client and its bulkhead's connection on one line. */
export async function attachTo(bulkhead: Bulkhead, asking: Asking, serverId = 'server'): Promise<Client> {
  const client = new Client(info, { capabilities });
  bulkhead.attach(asking.transport, { serverId, client: client as never });
  await client.connect(asking.transport as never);
  return client;
}

async function guarded(tier: Tier, lanes: number, asking: Asking): Promise<() => Promise<void>> {
  const bulkhead = await openBulkhead(tier, lanes);
  await attachTo(bulkhead, asking);
  return () => bulkhead.close();
}

/** Answers at once with what it was told, without any client. */
async function bare(asking: Asking, result: unknown): Promise<() => Promise<void>> {
  const { transport } = asking;
  transport.onmessage = (frame) => void transport.send({ jsonrpc: '2.0', id: (frame as Frame).id, result });
  await transport.start();
  return async () => {};
}

export const officialName = 'official client';
export const bareName = 'bare wire';

type Host = (asking: Asking) => Promise<() => Promise<void>>;

/** The same question put to each host. `sample` is a right answer, for the bare wire to give. */
export function hosts({ method, params, check }: Ask, lanes: number, sample: unknown): Case[] {
  const list: [string, Host][] = [
    [bareName, (asking) => bare(asking, sample)],
    [officialName, official],
    ...tiers.map((tier): [string, Host] => [nameOf(tier), (asking) => guarded(tier, lanes, asking)]),
  ];
  return list.map(([name, host]) => ({
    name,
    async open(): Promise<Subject> {
      const asking = createAsking();
      const close = await host(asking);
      return { call: () => asking.request(method, params), close };
    },
    check: (frame) => check((frame as Frame).result),
  }));
}
