/**
 * How a request of the client ends: with the server's answer, or with an error of ours, in both cases under the id that the client
 * waits for. Its call is closed with it.
 */
import { BulkheadError, codes } from '../errors.js';
import type { Call } from './calls.js';
import type { Link } from './link.js';
import { isError, type RpcError, type RpcResult } from './wire.js';

/** The server's answer, whatever leg it came on, and nothing that a client could stumble over beside it. */
export function finishCall(link: Link, call: Call, message: RpcResult | RpcError, extra: unknown): void {
  link.calls.close(call, 'ended');
  const said = isError(message) ? { error: message.error } : { result: message.result };
  link.tap.deliver({ jsonrpc: '2.0', id: call.request.id, ...said }, extra);
}

/** The client learns of our error in the only way it can: as the answer to its request, marked as ours. */
export function failCall(link: Link, call: Call, error: BulkheadError): void {
  if (call.ticket !== undefined) call.ticket.failure ??= error;
  link.calls.close(call, 'call ended');
  const { jsonrpc, id } = call.request;
  const data = { source: 'mcp-bulkhead', kind: error.kind };
  link.tap.deliver({ jsonrpc, id, error: { code: error.code ?? codes.internal, message: error.message, data } });
}

/** What was thrown while the call was in our hands fails it, unless it has ended meanwhile. */
export function failUnended(link: Link, call: Call, thrown: unknown): void {
  if (!call.closed) failCall(link, call, thrown instanceof BulkheadError ? thrown : unsent(link, thrown));
}

function unsent({ serverId }: Link, cause: unknown): BulkheadError {
  return new BulkheadError('closed', 'the call could not be sent again', { serverId, cause });
}

export function violation({ serverId }: Link, reason: string): BulkheadError {
  return new BulkheadError('protocol', `the server broke the protocol: ${reason}`, { code: codes.invalidParams, serverId });
}
