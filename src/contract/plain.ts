/**
 * Plain data across a boundary: a value becomes JSON text, or a fault that names the spot.
 *
 * Accepts what JSON can hold; properties that are `undefined` are left out, as JSON does. Refuses functions, symbols, BigInt,
 * non-finite numbers, cycles and anything with a class of its own, keys named `__proto__`, more than `maxDepth` levels, and
 * text above the given size. Sizes are counted while walking, so that a gigabyte string is refused before it is copied.
 * Invariant: every property is read once, and nothing thrown by a getter or a proxy escapes.
 */
import type { Json } from './handler.js';
import { pointer } from './pointer.js';

/** Deeper data overflows the stack of whoever walks it next. */
export const maxDepth = 200;

export interface Unplain {
  readonly ok: false;
  readonly reason: 'plain' | 'size';
  /** JSON Pointer to the spot. */
  readonly path: string;
  /** What was found there, never its value. */
  readonly found: string;
}

/** `json` is undefined where the value is. */
export type Encoded = { readonly ok: true; readonly json: string | undefined } | Unplain;

/** Taken before any callback runs: one that replaces `JSON.stringify` must not spoil the answers of the others. */
const { stringify } = JSON;
const { getPrototypeOf, keys } = Object;
const { isArray } = Array;

/** Thrown and caught in this file only. */
class Refused {
  readonly reason: Unplain['reason'];
  readonly found: string;
  constructor(reason: Unplain['reason'], found: string) {
    this.reason = reason;
    this.found = found;
  }
}

interface Walk {
  readonly path: (string | number)[];
  left: number;
}

/** `maxBytes` of UTF-8. */
export function encode(value: unknown, maxBytes: number): Encoded {
  const walk: Walk = { path: [], left: maxBytes };
  try {
    if (value === undefined) return { ok: true, json: undefined };
    const json = stringify(copy(value, walk));
    if (overflows(json, maxBytes)) return { ok: false, reason: 'size', path: '', found: `more than ${maxBytes} bytes` };
    return { ok: true, json };
  } catch (thrown) {
    const { reason, found } = thrown instanceof Refused ? thrown : new Refused('plain', 'something that throws when it is read');
    return { ok: false, reason, path: pointer(...walk.path), found };
  }
}

/** Whether the text takes more than `maxBytes` of UTF-8; counts bytes only where characters do not decide. */
export function overflows(json: string, maxBytes: number): boolean {
  if (json.length > maxBytes) return true;
  return json.length * 3 > maxBytes && Buffer.byteLength(json) > maxBytes;
}

const [quote, backslash, openArray, closeArray, openObject, closeObject] = Array.from('"\\[]{}', (sign) => sign.charCodeAt(0));

/** Whether JSON text has more levels than {@link encode} lets pass: whoever wrote it was not that. By codes: characters would take twice as long. */
export function nestsTooDeep(json: string): boolean {
  if (json.length <= 2 * maxDepth) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) at = closingQuote(json, at);
    else if (code === openArray || code === openObject) {
      if (++depth > maxDepth) return true;
    } else if (code === closeArray || code === closeObject) depth--;
  }
  return false;
}

/** Searched for before it is walked to: a large answer is mostly one picture, and text without a backslash at its end ends there. */
function closingQuote(json: string, opening: number): number {
  const end = json.indexOf('"', opening + 1);
  if (end === -1) return json.length;
  if (json.charCodeAt(end - 1) !== backslash) return end;
  let at = opening + 1;
  for (let code = json.charCodeAt(at); code !== quote && at < json.length; code = json.charCodeAt(at))
    at += code === backslash ? 2 : 1;
  return at;
}

function copy(value: unknown, walk: Walk): Json {
  switch (typeof value) {
    case 'string':
      spend(walk, value.length + 2);
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new Refused('plain', `the number ${value}`);
      spend(walk, 1);
      return value;
    case 'boolean':
      spend(walk, 4);
      return value;
    case 'object':
      if (value === null) return null;
      spend(walk, 2);
      if (walk.path.length >= maxDepth) throw new Refused('plain', `more than ${maxDepth} levels (a cycle has no end)`);
      return isArray(value) ? copyArray(value, walk) : copyObject(value, walk);
    default:
      throw new Refused('plain', value === undefined ? 'undefined' : `a ${typeof value}`);
  }
}

function copyArray(value: readonly unknown[], walk: Walk): Json[] {
  const items: Json[] = [];
  const { length } = value;
  for (let index = 0; index < length; index++) {
    walk.path.push(index);
    items.push(copy(value[index], walk));
    walk.path.pop();
  }
  return items;
}

function copyObject(value: object, walk: Walk): Json {
  if (!isRecord(value)) throw new Refused('plain', `an object of class ${className(value)}`);
  const record: { [key: string]: Json } = {};
  for (const key of keys(value)) {
    walk.path.push(key);
    if (key === '__proto__') throw new Refused('plain', 'a key that would change a prototype');
    const item = (value as { [key: string]: unknown })[key];
    if (item !== undefined) {
      spend(walk, key.length + 3);
      record[key] = copy(item, walk);
    }
    walk.path.pop();
  }
  return record;
}

/** No prototype, or one that ends there: `{}` of any realm, but no instance of a class. */
function isRecord(value: object): boolean {
  const prototype = getPrototypeOf(value);
  return prototype === null || getPrototypeOf(prototype) === null;
}

function className(value: object): string {
  const name: unknown = getPrototypeOf(value)?.constructor?.name;
  return typeof name === 'string' && /^\w{1,60}$/.test(name) ? name : 'unknown';
}

function spend(walk: Walk, characters: number): void {
  walk.left -= characters;
  if (walk.left < 0) throw new Refused('size', 'more data than allowed');
}
