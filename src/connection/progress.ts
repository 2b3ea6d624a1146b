/**
 * Progress of calls made through `connection.*`: each has a token of its own or its caller's (behaviour 57). Falling and repeated
 * values and unknown tokens are ignored; nothing revives a finished call, since its token is forgotten with it.
 */
import { isObject } from '../contract/form.js';
import { meta } from '../era/modern.js';
import type { Call, Progress, Ticket } from './calls.js';
import { isId, keyOf, metaOf, type Params, type RpcRequest } from './wire.js';

export interface ProgressBook {
  /**
   * The request with the token it will report under, where its caller wants to hear, and its caller's `_meta`: but what a client says of
   * itself in each request, a caller does not (behaviour 1).
   */
  label(request: RpcRequest, ticket: Ticket | undefined): RpcRequest;
  /** From now on, progress under the request's token belongs to this call. */
  track(call: Call): void;
  /** True: it was ours, whether it counted or not. */
  receive(params: unknown): boolean;
  /** Tokens under which progress may come. */
  readonly tokens: number;
}

export function createProgressBook(nextToken: () => string): ProgressBook {
  const open = new Map<string, { readonly ticket: Ticket; last: number }>();

  return {
    label(request, ticket) {
      if (ticket === undefined) return request;
      const {
        [meta.version]: _version,
        [meta.capabilities]: _capabilities,
        [meta.clientInfo]: _info,
        ...callers
      } = ticket.meta ?? {};
      const given: Params = { ...metaOf(request.params), ...callers };
      const wanted = ticket.onprogress !== undefined || ticket.resetTimeoutOnProgress;
      if (!wanted && ticket.meta === undefined) return request;
      const token = isId(given.progressToken) ? given.progressToken : wanted ? nextToken() : undefined;
      const _meta: Params = token === undefined ? given : { ...given, progressToken: token };
      return { ...request, params: { ...request.params, _meta } };
    },
    track(call) {
      const token = metaOf(call.request.params)?.progressToken;
      const { ticket } = call;
      if (ticket === undefined || !isId(token) || open.has(keyOf(token))) return;
      const key = keyOf(token);
      open.set(key, { ticket, last: Number.NEGATIVE_INFINITY });
      call.onClose(() => open.delete(key));
    },
    receive(params) {
      if (!isObject(params) || !isId(params.progressToken)) return false;
      const entry = open.get(keyOf(params.progressToken));
      if (entry === undefined) return false;
      const told = readProgress(params);
      if (told === undefined || !(told.progress > entry.last)) return true;
      entry.last = told.progress;
      if (entry.ticket.resetTimeoutOnProgress) entry.ticket.deadline.progressed();
      tell(entry.ticket, told);
      return true;
    },
    get tokens() {
      return open.size;
    },
  };
}

function readProgress({ progress, total, message }: Params): Progress | undefined {
  if (typeof progress !== 'number') return undefined;
  return {
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  };
}

/** A listener that throws hurts neither its call nor the connection. */
function tell({ onprogress }: Ticket, progress: Progress): void {
  try {
    onprogress?.(progress);
  } catch (error) {
    process.emitWarning(`an onprogress listener threw: ${String(error)}`, { code: 'MCP_BULKHEAD_LISTENER' });
  }
}
