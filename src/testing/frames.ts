/**
 * JSON-RPC frames as they are on the wire, and what tells them apart. Nothing is validated: a scripted server must be able
 * to send, and to record, what breaks the rules.
 */
import type { RequestId } from '../contract/handler.js';

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Any frame. Which members are present says what it is. */
export interface Frame {
  readonly jsonrpc: '2.0';
  readonly id?: RequestId;
  readonly method?: string;
  readonly params?: FrameParams;
  readonly result?: unknown;
  readonly error?: RpcError;
}

export type FrameParams = { readonly _meta?: { readonly [key: string]: unknown }; readonly [key: string]: unknown };

/** A frame that wants an answer. */
export interface RequestFrame extends Frame {
  readonly id: RequestId;
  readonly method: string;
}

/** What came back for a request: exactly one of `result` and `error` is present. */
export interface AnswerFrame extends Frame {
  readonly id: RequestId;
}

export const isRequest = (frame: Frame): frame is RequestFrame => typeof frame.method === 'string' && frame.id !== undefined;
export const isAnswer = (frame: Frame): frame is AnswerFrame => frame.method === undefined && frame.id !== undefined;

/** Ids match by type and value: `5` is not `"5"`. A `Map` keyed by the id itself does exactly that. */
export type PendingById<T> = Map<RequestId, T>;

/** What a peer would read: the frame as JSON text and back, so that no object is shared and `undefined` is gone. */
export function overTheWire(frame: unknown): Frame {
  return JSON.parse(typeof frame === 'string' ? frame : JSON.stringify(frame)) as Frame;
}
