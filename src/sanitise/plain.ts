/**
 * A bounded copy of anything as plain JSON data.
 *
 * Keeps what JSON can hold, in order, until a bound is reached: containers nested too deeply become null, and when nodes or
 * bytes run out the copy ends there. The bytes are those of the copy's own JSON. Never throws, never calls a `toJSON`, never
 * looks up anything inherited.
 */
import type { Json } from '../contract/handler.js';

export interface Bounds {
  /** Containers inside containers; the outermost is level 1. */
  readonly depth: number;
  /** Values, containers included. */
  readonly nodes: number;
  /** UTF-8 bytes of the copy's JSON. */
  readonly bytes: number;
  readonly text: (text: string) => string;
  readonly key: (text: string) => string;
}

/** Thrown by nobody but this file, to end a copy whose bounds are used up; what was copied so far stays. */
const full: unique symbol = Symbol('full');

export function plainCopy(value: unknown, bounds: Bounds): Json {
  try {
    const copy = createCopier(bounds)(value, 1);
    return copy === full ? null : copy;
  } catch {
    return null; // a getter, a proxy
  }
}

type Copier = (value: unknown, level: number) => Json | typeof full;

function createCopier(bounds: Bounds): Copier {
  let nodes = bounds.nodes;
  let bytes = bounds.bytes;

  /** A text that is too long is not read to learn its bytes. */
  const spendText = (text: string, more: number): boolean => spend(text.length > bytes ? text.length : jsonBytes(text) + more);

  function spend(cost: number): boolean {
    if (cost > bytes) {
      bytes = 0;
      return false;
    }
    bytes -= cost;
    return true;
  }

  function copyArray(source: readonly unknown[], level: number): Json {
    const target: Json[] = [];
    for (let index = 0; index < source.length; index++) {
      if (index > 0 && !spend(1)) break;
      const item = copy(source[index], level + 1);
      if (item === full) break;
      target.push(item);
    }
    return target;
  }

  function copyObject(source: object, level: number): Json {
    const target: Record<string, Json> = {};
    let first = true;
    for (const name of Object.keys(source)) {
      const item = (source as Record<string, unknown>)[name];
      if (item === undefined || typeof item === 'function' || typeof item === 'symbol') continue;
      const key = bounds.key(name);
      if (Object.hasOwn(target, key)) continue; // the first of two names that read alike stays
      if (!spendText(key, first ? 1 : 2)) break;
      const kept = copy(item, level + 1);
      if (kept === full) break;
      put(target, key, kept);
      first = false;
    }
    return target;
  }

  function copy(value: unknown, level: number): Json | typeof full {
    if (nodes <= 0) return full;
    nodes -= 1;
    if (typeof value !== 'object' || value === null) {
      const scalar = copyScalar(value, bounds.text);
      const fits = typeof scalar === 'string' ? spendText(scalar, 0) : spend(String(scalar).length);
      return fits ? scalar : full;
    }
    if (level > bounds.depth) return spend(4) ? null : full;
    if (!spend(2)) return full;
    return Array.isArray(value) ? copyArray(value, level) : copyObject(value, level);
  }

  return copy;
}

function copyScalar(value: unknown, text: (text: string) => string): null | boolean | number | string {
  switch (typeof value) {
    case 'string':
      return text(value);
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value + 0 : null; // JSON knows neither infinities nor a negative zero
    case 'bigint':
      return text(value.toString());
    default:
      return null;
  }
}

/** Sets an own property, also for a name like `__proto__`. */
function put(target: Record<string, Json>, key: string, value: Json): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

const asciiUnescaped = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const unescaped = /^[^"\\\p{Cc}\p{Cs}]*$/u;

/** How many UTF-8 bytes the JSON of `text` has. */
function jsonBytes(text: string): number {
  if (asciiUnescaped.test(text)) return text.length + 2;
  return unescaped.test(text) ? Buffer.byteLength(text) + 2 : Buffer.byteLength(JSON.stringify(text));
}
