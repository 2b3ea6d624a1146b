/**
 * The 2025 wire: server requests are JSON-RPC requests, answered one by one (revisions 2025-06-18 and 2025-11-25).
 */
import type { InputKind, Json, JsonObject, RequestId } from '../contract/handler.js';

const relatedTask = 'io.modelcontextprotocol/related-task';

/** The requests that this package answers, each with its kind. */
export const inputMethods: ReadonlyMap<string, InputKind> = new Map<string, InputKind>([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
]);

/** The kind a method asks for; undefined for every other method. */
export function kindOf(method: string): InputKind | undefined {
  return inputMethods.get(method);
}

/** The `related-task` entry of params: the task a request belongs to (behaviour 29). */
export function taskOf(params: unknown): { readonly taskId: string } | undefined {
  const meta = (params as { _meta?: Record<string, unknown> } | null | undefined)?._meta;
  const related = meta?.[relatedTask] as { taskId?: unknown } | undefined;
  return typeof related?.taskId === 'string' ? { taskId: related.taskId } : undefined;
}

export interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
}

export type Response =
  | { readonly jsonrpc: '2.0'; readonly id: RequestId; readonly result: JsonObject }
  | { readonly jsonrpc: '2.0'; readonly id: RequestId; readonly error: WireError };

/** A result; the `related-task` of the request goes back on it (behaviour 29). */
export function resultOf(id: RequestId, value: JsonObject, task: { readonly taskId: string } | undefined): Response {
  const result =
    task === undefined ? value : { ...value, _meta: { ...(value._meta as JsonObject | undefined), [relatedTask]: task } };
  return { jsonrpc: '2.0', id, result };
}

export function errorOf(id: RequestId, { code, message, data }: WireError): Response {
  return { jsonrpc: '2.0', id, error: data === undefined ? { code, message } : { code, message, data } };
}
