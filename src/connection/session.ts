/**
 * What the wire has told about this connection: era, revision, the server's own description, the modern envelope. Learned from
 * the messages that pass, so that it holds for any client; outbound messages leave with our capabilities and log level in them.
 */
import { isObject } from '../contract/form.js';
import type { Era, Implementation, JsonObject, Revision } from '../contract/handler.js';
import { differences, type InputCapabilities, replaceCapabilities } from '../era/capabilities.js';
import { meta } from '../era/modern.js';
import type { Limits } from '../options.js';
import { cleanImplementation } from '../sanitise/entry.js';
import { metaOf, type Params, type RpcRequest } from './wire.js';

export interface Session {
  readonly era: Era | undefined;
  readonly revision: Revision;
  readonly serverInfo: Implementation | null;
  /** `_meta` that every modern request carries; undefined in the legacy era. */
  readonly envelope: Params | undefined;
  readonly serverCapabilities: Params;
  /** Whether the client's last envelope declared an extension. */
  declares(extension: string): boolean;
  /** The message as it leaves: our capabilities and log level in place. */
  outbound(message: RpcRequest): RpcRequest;
  /** Learns from the result of a request that was sent. */
  answered(request: RpcRequest, result: Params): void;
  /** A legacy session is taken up again without a handshake; `version` is what its transport was told. */
  resumed(version: unknown): void;
  reset(): void;
}

export interface SessionSettings {
  readonly limits: Limits;
  capabilities(era: Era): InputCapabilities;
  /** A client was built with other input capabilities than are advertised. */
  warn(kinds: readonly string[]): void;
}

/** A legacy revision this package has rules for; older ones follow the oldest. */
function legacyRevision(version: unknown): Revision {
  return version === '2025-11-25' ? '2025-11-25' : '2025-06-18';
}

export function createSession(settings: SessionSettings): Session {
  let era: Era | undefined;
  let revision: Revision = '2025-11-25';
  let serverInfo: Implementation | null = null;
  let envelope: Params | undefined;
  let serverCapabilities: Params = {};
  let warned = false;

  function ours(given: unknown, of: Era): JsonObject {
    const base = isObject(given) ? (given as JsonObject) : {};
    const capabilities = settings.capabilities(of);
    const differing = warned ? [] : differences(base, capabilities);
    if (differing.length > 0) {
      warned = true;
      settings.warn(differing);
    }
    return replaceCapabilities(base, capabilities);
  }

  function enveloped(message: RpcRequest, given: Params): RpcRequest {
    const { logLevel } = settings.limits;
    const _meta: Params = {
      ...(logLevel !== undefined && { [meta.logLevel]: logLevel }),
      ...given,
      [meta.capabilities]: ours(given[meta.capabilities], 'modern'),
    };
    const { progressToken: _token, ...kept } = _meta;
    envelope = kept;
    // A probe is no proof: the server may turn out to be a legacy one.
    if (message.method !== 'server/discover') learnModern();
    return { ...message, params: { ...message.params, _meta } };
  }

  function learnModern(): void {
    era = 'modern';
    revision = '2026-07-28';
  }

  return {
    get era() {
      return era;
    },
    get revision() {
      return revision;
    },
    get serverInfo() {
      return serverInfo;
    },
    get envelope() {
      return era === 'modern' ? envelope : undefined;
    },
    get serverCapabilities() {
      return serverCapabilities;
    },
    declares(extension) {
      const declared = envelope?.[meta.capabilities];
      return isObject(declared) && isObject(declared.extensions) && isObject(declared.extensions[extension]);
    },
    outbound(message) {
      const given = metaOf(message.params);
      // A host that hands the `_meta` of somebody else's request on does not make a legacy session a modern one.
      if (era !== 'legacy' && given?.[meta.version] !== undefined) return enveloped(message, given);
      if (message.method !== 'initialize') return message;
      return { ...message, params: { ...message.params, capabilities: ours(message.params?.capabilities, 'legacy') } };
    },
    answered(request, result) {
      if (request.method === 'initialize') {
        era = 'legacy';
        revision = legacyRevision(result.protocolVersion);
        envelope = undefined;
        serverInfo = cleanImplementation(result.serverInfo);
      } else if (request.method === 'server/discover') {
        serverInfo = cleanImplementation(metaOf(result)?.[meta.serverInfo]) ?? serverInfo;
        if (Array.isArray(result.supportedVersions)) learnModern();
      } else return;
      if (isObject(result.capabilities)) serverCapabilities = result.capabilities;
    },
    resumed(version) {
      era = 'legacy';
      if (typeof version === 'string') revision = legacyRevision(version);
    },
    reset() {
      era = undefined;
      revision = '2025-11-25';
      serverInfo = null;
      envelope = undefined;
      serverCapabilities = {};
    },
  };
}
