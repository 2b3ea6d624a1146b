/**
 * Counts on the wire itself, between the transport and the tap: which requests a server sent, how often each was answered, and
 * which it cancelled. Install it after `attach`, before the client is connected.
 */
import type { RequestId } from '../../../src/contract/handler.js';
import type { TransportLike } from '../../../src/index.js';

interface Entry {
  answers: number;
  cancelled: boolean;
}

export interface Ledger {
  readonly asked: number;
  readonly cancelled: number;
  /** Ids that were answered twice, or neither answered nor cancelled. */
  faults(): readonly string[];
}

interface Message {
  readonly id?: RequestId;
  readonly method?: string;
  readonly params?: { readonly requestId?: RequestId };
}

type Handler = (message: Message, extra: unknown) => void;
type Send = (message: Message, options: unknown) => Promise<void>;

export interface LedgerInstaller extends Ledger {
  /** Under the tap: sees what really leaves. Call before `attach`. */
  outbound(transport: TransportLike): void;
  /** Over the transport: sees what really comes. Call after `attach`. */
  inbound(transport: TransportLike): void;
}

export function createLedger(): LedgerInstaller {
  const entries = new Map<string, Entry>();
  const keyOf = (id: RequestId) => `${typeof id} ${id}`;

  function received({ id, method, params }: Message): void {
    if (method === 'notifications/cancelled' && params?.requestId !== undefined) {
      const entry = entries.get(keyOf(params.requestId));
      if (entry !== undefined) entry.cancelled = true;
    } else if (method !== undefined && id !== undefined) entries.set(keyOf(id), { answers: 0, cancelled: false });
  }

  function sent({ id, method }: Message): void {
    if (method !== undefined || id === undefined) return;
    const entry = entries.get(keyOf(id));
    if (entry !== undefined) entry.answers += 1;
  }

  return {
    outbound(transport) {
      const send = (transport.send as unknown as Send).bind(transport);
      (transport as unknown as { send: Send }).send = (message, options) => {
        sent(message);
        return send(message, options);
      };
    },
    inbound(transport) {
      const tapped = Object.getOwnPropertyDescriptor(transport, 'onmessage');
      Object.defineProperty(transport, 'onmessage', {
        configurable: true,
        get: () => {
          const handler = tapped?.get?.call(transport) as Handler | undefined;
          if (handler === undefined) return undefined;
          return (message: Message, extra: unknown) => {
            received(message);
            handler(message, extra);
          };
        },
        set: (handler: Handler) => tapped?.set?.call(transport, handler),
      });
    },
    get asked() {
      return entries.size;
    },
    get cancelled() {
      return [...entries.values()].filter((entry) => entry.cancelled).length;
    },
    faults: () =>
      [...entries].flatMap(([key, { answers, cancelled }]) =>
        answers > 1 || (answers === 0 && !cancelled) ? [`${key}: ${answers} answers${cancelled ? ', cancelled' : ''}`] : [],
      ),
  };
}
