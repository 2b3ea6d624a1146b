/**
 * The seam between transport and client: the transport object is patched in place, through its public members only.
 *
 * A wrapper class would be wrong: the official client recognises stdio by the object's own identity, and optional members change
 * what it does. Invariant: while nobody has set `onmessage` or `onclose`, reading them gives `undefined`, since a client chains
 * whatever handler it finds there.
 */
import type { RequestId } from '../contract/handler.js';
import type { Response } from '../era/legacy.js';
import { createProvenance } from './provenance.js';
import type { RpcMessage, SendOptions, TransportLike } from './wire.js';

export interface TapEvents {
  /** A message the client sends. Nothing goes out by itself: `tap.send` lets it out. */
  outbound(message: RpcMessage, options: SendOptions | undefined): Promise<void>;
  /** A message of the peer; `related` is the request on whose own stream it came. `tap.deliver` lets it in. */
  inbound(message: unknown, extra: unknown, related: RequestId | undefined): void;
  closed(): void;
}

export interface Tap {
  /** Sends on the transport's own `send`, in the stream scope of the message. */
  send(message: RpcMessage | Response, options?: SendOptions): Promise<void>;
  /** Hands a message to whoever set `onmessage`. What they throw is the transport's to report, whenever it is. */
  deliver(message: unknown, extra?: unknown): void;
  /** Whether somebody listens for messages. */
  readonly attended: boolean;
  /** Whether the transport opens a stream per request, so that `related` means something. */
  readonly streams: boolean;
  /** Gives the transport its members back. */
  remove(): void;
}

type Receive = (message: unknown, extra?: unknown) => void;
type Send = (message: RpcMessage, options?: SendOptions) => Promise<void>;

interface Slot<F> {
  current(): F | undefined;
  clear(): void;
  remove(): void;
}

/**
 * A member that a client sets and the transport calls. Reading it gives, for each handler that was set, an entry of its own: the last
 * one leads to `tapped`, an earlier one straight to its handler, since who calls that is a handler that was chained before it.
 */
function intercept<F extends (...args: never[]) => void>(target: object, name: string, tapped: F): Slot<F> {
  const members = target as Record<string, F | undefined>;
  const before = Object.getOwnPropertyDescriptor(target, name);
  const setter = setterOf(target, name);
  const behind = new WeakMap<F, F>();
  let held: F | undefined;
  let entry: F | undefined;

  function enter(handler: F): F {
    const made = ((...args: Parameters<F>) => (made === entry ? tapped : handler)(...args)) as F;
    behind.set(made, handler);
    return made;
  }

  /** A client that restores what it found hands an entry back. */
  function hold(next: F | undefined): void {
    held = next && (behind.get(next) ?? next);
    entry = next && (behind.has(next) ? next : enter(next));
    // Wrappers are seldom made to be given nothing.
    setter?.call(target, entry ?? silent);
  }

  if (members[name] !== undefined) hold(members[name]);
  Object.defineProperty(target, name, { configurable: true, enumerable: true, get: () => entry, set: hold });
  return {
    current: () => held,
    clear: () => hold(undefined),
    remove() {
      const last = held;
      hold(undefined);
      delete members[name];
      if (before?.set !== undefined) Object.defineProperty(target, name, before);
      if (before !== undefined || last !== undefined) members[name] = last;
    },
  };
}

const silent = (): void => {};

/** Where a member is an accessor, a wrapper around another transport perhaps, what is set must still reach it. */
function setterOf(target: object, name: string): ((value: unknown) => void) | undefined {
  for (let holder: object | null = target; holder !== null; holder = Object.getPrototypeOf(holder) as object | null) {
    const found = Object.getOwnPropertyDescriptor(holder, name);
    if (found !== undefined) return found.set;
  }
  return undefined;
}

const tapped = new WeakSet<object>();

/** A second tap on a transport would ask every guard twice and leave the first connection deaf. */
export function isTapped(transport: object): boolean {
  return tapped.has(transport);
}

export function installTap(transport: TransportLike, events: TapEvents): Tap {
  tapped.add(transport);
  const provenance = createProvenance(transport);
  const ownSend = Object.getOwnPropertyDescriptor(transport, 'send');
  const sender = transport as unknown as { send: Send };
  const original = sender.send.bind(transport);

  const onmessage = intercept<Receive>(transport, 'onmessage', (message, extra) => {
    const related = provenance.current();
    provenance.outside(() => events.inbound(message, extra, related));
  });
  const onclose = intercept<() => void>(transport, 'onclose', () => {
    const told = onclose.current();
    // A later client on the same transport must not find, and chain, the handlers of this one.
    onmessage.clear();
    onclose.clear();
    try {
      events.closed();
    } finally {
      told?.();
    }
  });
  const send: Send = (message, options) => events.outbound(message, options);
  sender.send = send;

  return {
    get attended() {
      return onmessage.current() !== undefined;
    },
    streams: provenance.streams,
    send: async (message, options) => provenance.during(message, () => original(message, options)),
    deliver(message, extra) {
      try {
        onmessage.current()?.(message, extra);
      } catch (error) {
        transport.onerror?.(error as Error);
      }
    },
    remove() {
      tapped.delete(transport);
      onmessage.remove();
      onclose.remove();
      // Whoever has wrapped ours keeps what they made; it goes through us, who pass everything on by now.
      if (sender.send !== send) return;
      if (ownSend === undefined) delete (transport as { send?: unknown }).send;
      else Object.defineProperty(transport, 'send', ownSend);
    },
  };
}
