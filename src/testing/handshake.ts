/**
 * What a scripted server says of its own accord: the handshake of its era, `ping`, empty lists, and the right refusals.
 * A script's own `onCall` comes first and replaces any of these.
 *
 * legacy: `initialize` is answered with the server's revision, whatever was offered; `server/discover` does not exist.
 * modern: `server/discover` is answered; `initialize` is refused with -32022, and so is a request without its envelope (-32602).
 */
import type { Era } from '../contract/handler.js';
import type { Frame, RequestFrame, RpcError } from './frames.js';

export type Revision = '2025-06-18' | '2025-11-25' | '2026-07-28';

export interface ServerSelf {
  readonly era: Era;
  readonly protocolVersion: string;
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly capabilities: { readonly [name: string]: unknown };
  readonly instructions: string | undefined;
  readonly tools: readonly unknown[];
}

export type Reply = { readonly result: unknown } | { readonly error: RpcError };

const envelope = Object.freeze({
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const);

const lists: { readonly [method: string]: string } = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
};

/** The reply to a request that no script wants. */
export function usualReply(self: ServerSelf, request: RequestFrame): Reply {
  const refusal = self.era === 'modern' ? modernRefusal(self, request) : undefined;
  if (refusal !== undefined) return { error: refusal };
  const own = self.era === 'modern' ? modernReply(self, request.method) : legacyReply(self, request.method);
  if (own !== undefined) return { result: own };
  const list = lists[request.method];
  if (list !== undefined) return { result: { ...page(self.era), [list]: list === 'tools' ? self.tools : [] } };
  return { error: { code: -32601, message: `Method not found: ${request.method}` } };
}

/** The capabilities the client declared in this frame, if it is one that declares any. */
export function declaredCapabilities(frame: Frame): { readonly [name: string]: unknown } | undefined {
  const declared =
    frame.method === 'initialize' ? frame.params?.capabilities : frame.params?._meta?.[envelope.clientCapabilities];
  return declared === undefined ? undefined : (declared as { readonly [name: string]: unknown });
}

function legacyReply(self: ServerSelf, method: string): unknown {
  if (method === 'ping' || method === 'logging/setLevel') return {};
  if (method !== 'initialize') return undefined;
  const { protocolVersion, capabilities, serverInfo, instructions } = self;
  return { protocolVersion, capabilities, serverInfo, instructions };
}

function modernReply(self: ServerSelf, method: string): unknown {
  if (method !== 'server/discover') return undefined;
  return {
    ...page('modern'),
    supportedVersions: [self.protocolVersion],
    capabilities: self.capabilities,
    instructions: self.instructions,
    _meta: { [envelope.serverInfo]: self.serverInfo },
  };
}

function modernRefusal(self: ServerSelf, request: RequestFrame): RpcError | undefined {
  const requested = request.method === 'initialize' ? request.params?.protocolVersion : asked(request);
  if (requested === undefined) return { code: -32602, message: `_meta needs ${envelope.protocolVersion}` };
  if (requested === self.protocolVersion) return undefined;
  return {
    code: -32022,
    message: 'Unsupported protocol version',
    data: { supported: [self.protocolVersion], requested },
  };
}

const asked = (request: RequestFrame): unknown => request.params?._meta?.[envelope.protocolVersion];

const page = (era: Era): object => (era === 'modern' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {});
