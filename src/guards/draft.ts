/**
 * A field under construction. Parts read the untrusted source and put what they understand into the draft, or say what is
 * wrong; a keyword that no part puts there does not reach the callback.
 */
import type { Json } from '../contract/handler.js';
import { pointer } from '../contract/pointer.js';
import { stripUnsafe } from '../sanitise/text.js';
import { invalidParams, type Refused } from '../verdict.js';

export type Source = { readonly [keyword: string]: unknown };

export interface Draft {
  readonly keywords: Record<string, Json>;
  /** Whether a text for people lost unsafe code points (behaviour 45). */
  textAltered: boolean;
}

export type Part = (source: Source, draft: Draft, path: string) => Refused | undefined;

/** An own member that says something. Without a wire between, a server's object may hold undefined ones, which say nothing. */
export function says(source: Source, name: string): boolean {
  return Object.hasOwn(source, name) && source[name] !== undefined;
}

export function firstFault(parts: readonly Part[], source: Source, draft: Draft, path: string): Refused | undefined {
  for (const part of parts) {
    const fault = part(source, draft, path);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Copies keyword `name` if it is there and fits. */
export function keyword(name: string, fits: (value: unknown) => boolean, expected: string): Part {
  return (source, draft, path) => {
    if (!says(source, name)) return undefined;
    if (!fits(source[name])) return invalidParams(`must be ${expected}`, path + pointer(name));
    draft.keywords[name] = source[name] as Json;
    return undefined;
  };
}

/** Refuses keywords that would constrain an answer in a way that nobody here checks. */
export function forbidden(...names: readonly string[]): Part {
  return (source, _draft, path) => {
    const found = names.find((name) => says(source, name));
    return found === undefined ? undefined : invalidParams('not part of the form subset', path + pointer(found));
  };
}

/** Refuses a pair of bounds that no value can satisfy. */
export function ordered(low: string, high: string): Part {
  return (_source, draft, path) => {
    const { [low]: from, [high]: to } = draft.keywords;
    const crossed = typeof from === 'number' && typeof to === 'number' && from > to;
    return crossed ? invalidParams(`no value satisfies ${low} and ${high}`, path + pointer(low)) : undefined;
  };
}

/** A text for people, rid of unsafe code points; anything but a string is left out. */
export function prose(name: string): Part {
  return (source, draft) => {
    if (typeof source[name] === 'string') draft.keywords[name] = readable(source[name], draft);
    return undefined;
  };
}

export function readable(text: string, draft: Draft): string {
  const stripped = stripUnsafe(text);
  draft.textAltered ||= stripped.altered;
  return stripped.text;
}
