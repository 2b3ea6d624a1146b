/**
 * What a server asks with and what it is answered with, by kind: params arrive guarded, results pass the answer guard
 * (revisions 2025-06-18, 2025-11-25, 2026-07-28).
 */
import type { Json, JsonObject } from './words.js';

// ---- sampling -------------------------------------------------------------------------------------------------------

export interface TextContent {
  readonly type: 'text';
  readonly text: string;
}
export interface MediaContent {
  readonly type: 'image' | 'audio';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}
export interface ToolUseContent {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}
export interface ToolResultContent {
  readonly type: 'tool_result';
  readonly toolUseId: string;
  readonly content: readonly JsonObject[];
  readonly structuredContent?: Json;
  readonly isError?: boolean;
}
export type SamplingContent = TextContent | MediaContent | ToolUseContent | ToolResultContent;

export interface SamplingMessage {
  readonly role: 'user' | 'assistant';
  readonly content: SamplingContent | readonly SamplingContent[];
}

export interface SamplingParams {
  readonly messages: readonly SamplingMessage[];
  /** A positive integer, already clamped to the host's limit (behaviour 34). */
  readonly maxTokens: number;
  readonly systemPrompt?: string;
  readonly modelPreferences?: JsonObject;
  readonly includeContext?: 'none' | 'thisServer' | 'allServers';
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly metadata?: JsonObject;
  readonly tools?: readonly JsonObject[];
  readonly toolChoice?: { readonly mode?: 'auto' | 'required' | 'none' };
}

export interface SamplingResult {
  readonly role: 'user' | 'assistant';
  readonly content: SamplingContent | readonly SamplingContent[];
  readonly model: string;
  readonly stopReason?: string;
}

// ---- elicitation ----------------------------------------------------------------------------------------------------

/** One field of a form, as rebuilt by the guard: only keywords of the protocol's subset remain (behaviour 43). */
export interface FormField {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array';
  readonly title?: string;
  readonly description?: string;
  readonly default?: Json;
  readonly [keyword: string]: Json | undefined;
}

export interface FormSchema {
  readonly type: 'object';
  readonly title?: string;
  readonly description?: string;
  readonly properties: { readonly [name: string]: FormField };
  readonly required?: readonly string[];
}

export interface FormParams {
  readonly mode: 'form';
  readonly message: string;
  readonly requestedSchema: FormSchema;
}

export interface UrlParams {
  readonly mode: 'url';
  readonly message: string;
  readonly url: string;
  /** Revision 2025-11-25 only. */
  readonly elicitationId?: string;
}

export type ElicitationParams = FormParams | UrlParams;

export type FormValue = string | number | boolean | readonly string[];

export interface ElicitationResult {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: { readonly [name: string]: FormValue };
  /** With the accept of a URL: the callback waited until the page was done, so a retry need not wait for the server's notice (behaviour 30). Never sent. */
  readonly completed?: boolean;
}

// ---- roots, notifications, logs ---------------------------------------------------------------------------------------

export interface Root {
  /** A `file:` URI, or a plain absolute path, which is turned into one (behaviour 49). */
  readonly uri: string;
  readonly name?: string;
}
export interface RootsResult {
  readonly roots: readonly Root[];
}

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** A sanitised log message (behaviours 53 to 55). */
export interface LogEntry {
  readonly level: LogLevel;
  readonly logger?: string;
  readonly data: Json;
}
