/**
 * The client's end of an in-memory line, shaped like the official client's `Transport`.
 *
 * Frames cross as JSON text, and at once: a frame has arrived when `send` returns. What the server sends before `start()`
 * waits for it. It has no stream per request, so an input request is tied to a call as on stdio (behaviour 13).
 * After `close`, from either end, nothing is delivered and `send` rejects, until `start()` opens the line anew.
 */
import { type Frame, overTheWire } from './frames.js';

/** Satisfies `Transport` of `@modelcontextprotocol/client` (v2) and of `@modelcontextprotocol/sdk` (v1). */
export interface MemoryTransport {
  start(): Promise<void>;
  send(message: unknown, options?: unknown): Promise<void>;
  close(): Promise<void>;
  setProtocolVersion(version: string): void;
  onmessage?: ((message: unknown, extra?: unknown) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  sessionId?: string | undefined;
}

/** The server's end. */
export interface Line {
  readonly transport: MemoryTransport;
  /** Delivers a frame to the client: an object, or JSON text where the exact spelling matters. */
  deliver(frame: unknown): void;
  /** Reports an error of the transport itself to the client. */
  fail(error: Error): void;
  close(): void;
  readonly closed: boolean;
  /** What the client was told to have negotiated. */
  readonly protocolVersion: string | undefined;
}

export interface LineEvents {
  /** `options` are the client's send options, such as `relatedRequestId`. */
  frame(frame: Frame, options: unknown): void;
  closed(): void;
}

export function createLine(events: LineEvents): Line {
  let state: 'idle' | 'open' | 'closed' = 'idle';
  let protocolVersion: string | undefined;
  const early: Frame[] = [];

  const close = (): void => {
    if (state === 'closed') return;
    state = 'closed';
    transport.onclose?.();
    events.closed();
  };

  const transport: MemoryTransport = {
    async start() {
      if (state === 'open') throw new Error('the in-memory transport is already started');
      state = 'open';
      for (const frame of early.splice(0)) transport.onmessage?.(frame);
    },
    async send(message, options) {
      if (state !== 'open') throw new Error(`the in-memory transport is ${state === 'idle' ? 'not started' : 'closed'}`);
      events.frame(overTheWire(message), options);
    },
    async close() {
      close();
    },
    setProtocolVersion(version) {
      protocolVersion = version;
    },
    onmessage: undefined,
    onclose: undefined,
    onerror: undefined,
  };

  return {
    transport,
    deliver(frame) {
      if (state === 'closed') return;
      const arrived = overTheWire(frame);
      if (state === 'idle') early.push(arrived);
      else transport.onmessage?.(arrived);
    },
    fail: (error) => transport.onerror?.(error),
    close,
    get closed() {
      return state === 'closed';
    },
    get protocolVersion() {
      return protocolVersion;
    },
  };
}
