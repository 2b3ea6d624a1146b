/**
 * The 2026-07-28 wire: a server asks inside the result of a call, and the call is sent again with the answers.
 *
 * Pure reading and building. Keys are the server's, so every object keyed by them has no prototype (behaviour 23).
 */
import { isObject } from '../contract/form.js';
import type { InputKind, JsonObject } from '../contract/handler.js';
import { codes } from '../errors.js';
import { fail, pass, type Verdict } from '../verdict.js';
import { kindOf } from './legacy.js';

export const meta: {
  readonly version: string;
  readonly capabilities: string;
  readonly clientInfo: string;
  readonly serverInfo: string;
  readonly logLevel: string;
} = Object.freeze({
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
});

export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** The only methods that may answer `input_required` (behaviour 22). */
const askingMethods: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get']);

export interface Entry {
  readonly key: string;
  readonly kind: InputKind;
  readonly params: unknown;
}

export interface Round {
  readonly entries: readonly Entry[];
  /** Present means: echo it, also when it is `""`. */
  readonly state: string | undefined;
}

export type Reading =
  | { readonly type: 'complete' }
  | { readonly type: 'round'; readonly round: Round }
  | { readonly type: 'task' }
  | { readonly type: 'broken'; readonly reason: string };

type Bag = { readonly [key: string]: unknown };

export interface Bounds {
  readonly entries: number;
  readonly bytes: number;
}

/** What a result says, by its `resultType`; an absent one is complete (behaviour 22). */
export function readResult(method: string, result: Bag, taskDeclared: boolean, bounds: Bounds): Reading {
  const type = result.resultType;
  if (type === undefined || type === 'complete') return { type: 'complete' };
  if (type === 'task') {
    if (method !== 'tools/call') return broken(`a task came back from ${method}; only tools/call may create one`);
    return taskDeclared ? { type: 'task' } : broken('the server created a task, but the tasks extension is not declared');
  }
  if (type !== 'input_required') return broken('the resultType is none of "complete", "input_required", "task"');
  if (!askingMethods.has(method)) return broken(`${method} may not ask for input`);
  const size = bytesOf(result);
  if (size === undefined) return broken('the round is nested too deeply to be read');
  if (size > bounds.bytes) return broken(`the round has ${size} bytes; the limit is ${bounds.bytes}`);
  const round = readRound(result, bounds);
  return round.ok ? { type: 'round', round: round.value } : broken(round.reason);
}

function broken(reason: string): Reading {
  return { type: 'broken', reason };
}

function readRound(result: Bag, bounds: Bounds): Verdict<Round> {
  const { inputRequests, requestState } = result;
  if (inputRequests === undefined && requestState === undefined) return bad('a round needs inputRequests or requestState');
  if (requestState !== undefined && typeof requestState !== 'string') return bad('requestState is no string');
  const entries = readEntries(inputRequests, bounds.entries);
  return entries.ok ? pass({ entries: entries.value, state: requestState }) : entries;
}

/** The entries of `inputRequests`, of a round or a task, in the server's order. */
export function readEntries(inputRequests: unknown, limit: number): Verdict<readonly Entry[]> {
  if (inputRequests === undefined) return pass([]);
  if (!isObject(inputRequests)) return bad('inputRequests is no object');
  const keys = Object.keys(inputRequests);
  if (keys.length > limit) return bad(`inputRequests has ${keys.length} entries; the limit is ${limit}`);
  const entries: Entry[] = [];
  for (const key of keys) {
    const entry = inputRequests[key];
    if (!isObject(entry) || typeof entry.method !== 'string')
      return bad(`entry ${entries.length} of inputRequests has no method`);
    const kind = kindOf(entry.method);
    if (kind === undefined) return bad(`entry ${entries.length} of inputRequests asks for something that is no input method`);
    entries.push({ key, kind, params: entry.params });
  }
  return pass(entries);
}

function bad(reason: string): ReturnType<typeof fail> {
  return fail(codes.invalidParams, reason);
}

/** Answers by key, exactly the keys that were asked. */
export function responsesOf(answers: readonly { readonly key: string; readonly value: JsonObject }[]): JsonObject {
  const responses: Record<string, JsonObject> = Object.create(null);
  for (const { key, value } of answers) responses[key] = value;
  return responses;
}

/** The params of the next leg: the call's own, this round's answers and state, nothing of an earlier round (behaviour 23). */
export function retryParams(original: Bag | undefined, responses: JsonObject | undefined, state: string | undefined): Bag {
  const { inputResponses: _responses, requestState: _state, ...rest } = original ?? {};
  return {
    ...rest,
    ...(responses !== undefined && { inputResponses: responses }),
    ...(state !== undefined && { requestState: state }),
  };
}

/** UTF-8 bytes of the JSON of a value (behaviour 25); undefined where it is nested too deeply to have any. */
export function bytesOf(value: unknown): number | undefined {
  try {
    return Buffer.byteLength(JSON.stringify(value) ?? '');
  } catch {
    return undefined;
  }
}
