/** The official client that `connect` makes where the host brings none. */
import type { Client, ClientOptions } from '@modelcontextprotocol/client';
import { wrong } from '../checks.js';
import { isObject } from '../contract/form.js';
import type { JsonObject } from '../contract/handler.js';
import { tasksExtension } from '../era/modern.js';
import { packageVersion } from '../version.js';
import type { ClientLike } from './face.js';
import type { TransportLike } from './wire.js';

/** The client's own options; `capabilities` for sampling, elicitation and roots come from the handler module. */
export type HostClientOptions = ClientOptions;

export interface ClientInfo {
  readonly name: string;
  readonly version: string;
  readonly [key: string]: unknown;
}

/** What a server is told where the host says nothing else: the host's name, and the version of this package. */
export function defaultClientInfo(name: string): ClientInfo {
  return { name, version: packageVersion() };
}

export async function makeClient(info: ClientInfo, options: HostClientOptions = {}): Promise<Client> {
  if (!isObject(info) || typeof info.name !== 'string' || typeof info.version !== 'string')
    wrong('clientInfo', 'an object with name and version', info);
  if (!isObject(options)) wrong('clientOptions', "an object of the client's own options", options);
  const { Client } = await import('@modelcontextprotocol/client');
  const given = (options.capabilities ?? {}) as JsonObject;
  const extensions = { [tasksExtension]: {}, ...(given.extensions as JsonObject | undefined) };
  return new Client(info, {
    versionNegotiation: { mode: 'auto' },
    ...options,
    // `awaitTask` and `callTool` follow tasks, so servers may create them (behaviour 28).
    capabilities: { ...given, extensions } as NonNullable<ClientOptions['capabilities']>,
  });
}

/** `timeout` bounds each request of the handshake. */
export async function connectClient(
  client: Client,
  transport: TransportLike,
  options: { readonly timeout: number },
): Promise<void> {
  await client.connect(transport as Parameters<Client['connect']>[0], options);
}

/**
 * On stdio the official client asks for the era on a process of its own, so this connection's wire has not heard it: in the
 * modern era nothing else is sent until the host's first request. This asks once more, on this wire.
 */
export async function introduce(client: ClientLike | undefined, options: { readonly timeout: number }): Promise<void> {
  const official = client as Partial<Pick<Client, 'getProtocolEra' | 'discover'>> | undefined;
  if (official?.getProtocolEra?.() === 'modern') await official.discover?.(options);
}
