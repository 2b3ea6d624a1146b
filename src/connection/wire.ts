/**
 * JSON-RPC as it passes the tap: the shapes, and pure classifiers of untrusted values.
 *
 * A transport hands over whatever the peer sent, so nothing here assumes more than it checks.
 */
import { hash } from 'node:crypto';
import stringify from 'fast-json-stable-stringify';
import { isObject } from '../contract/form.js';
import type { RequestId } from '../contract/handler.js';

export type Params = { readonly [key: string]: unknown };

export interface RpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Params;
}
export interface RpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: Params;
}
export interface RpcResult {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly result: Params;
}
export interface RpcError {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}
export type RpcMessage = RpcRequest | RpcNotification | RpcResult | RpcError;

/** What the tap needs of a transport. Those of client 2.x and of sdk 1.x both fit: their stricter message types stay assignable. */
export interface TransportLike {
  start(): Promise<void>;
  send(message: never, options?: never): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((...args: never[]) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/** Send options that the tap reads; everything else is carried along untouched. */
export interface SendOptions {
  readonly requestSignal?: AbortSignal | undefined;
  readonly [key: string]: unknown;
}

export function isId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number';
}

export function isRequest(message: unknown): message is RpcRequest {
  return isObject(message) && typeof message.method === 'string' && isId(message.id);
}

export function isNotification(message: unknown): message is RpcNotification {
  return isObject(message) && typeof message.method === 'string' && message.id === undefined;
}

export function isCancel(message: RpcMessage): boolean {
  return isNotification(message) && message.method === 'notifications/cancelled';
}

export function isResult(message: unknown): message is RpcResult {
  if (!isAnswer(message) || !isObject(message.result) || isObject(message.error)) return false;
  return message.result._meta === undefined || isObject(message.result._meta);
}

export function isError(message: unknown): message is RpcError {
  if (!isAnswer(message) || !isObject(message.error) || isObject(message.result)) return false;
  return Number.isSafeInteger(message.error.code) && typeof message.error.message === 'string';
}

/** An answer to a request, well formed or not. */
export function isAnswer(
  message: unknown,
): message is { readonly id: RequestId; readonly result?: unknown; readonly error?: unknown } {
  return isObject(message) && isId(message.id) && message.method === undefined;
}

/**
 * Stands for the stable JSON of what a server sent, for comparing, and is small whatever that is; undefined, which equals nothing, where
 * it is nested too deeply to be walked.
 */
export function bodyOf(value: unknown): string | undefined {
  try {
    return hash('sha256', stringify(value ?? null), 'base64');
  } catch {
    return undefined;
  }
}

export function sameBody(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && one === other;
}

/** A map key for an id: by type and value, `5` is not `"5"` (behaviour 17). */
export function keyOf(id: RequestId): string {
  return typeof id === 'string' ? `s${id}` : `n${id}`;
}

export function metaOf(params: unknown): Params | undefined {
  return isObject(params) && isObject(params._meta) ? params._meta : undefined;
}
