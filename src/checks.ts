/**
 * Checks of option values: each fills in a fallback where nothing was given, and throws the one kind of error a wrong option gives,
 * naming option, expected and received.
 */
import { longestTimer } from './clock.js';
import { BulkheadError } from './errors.js';

/** Throws the one kind of error a wrong option gives. */
export function wrong(option: string, expected: string, received: unknown): never {
  throw new BulkheadError('options', `option "${option}": expected ${expected}, received ${describe(received)}`);
}

/** For a name that no option has: tells what there is. */
export function unknown(option: string, names: readonly string[]): never {
  throw new BulkheadError('options', `option "${option}": there is no such option (there are: ${names.join(', ')})`);
}

/** A short, safe spelling of what was received. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return value.length > 60 ? `a string of ${value.length} characters` : JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (value === null || typeof value !== 'object') return typeof value === 'function' ? 'a function' : String(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  const name = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return name === 'Object' || typeof name !== 'string' || name === '' ? 'an object' : `an object of class ${name}`;
}

/** An object whose own members are all it says: of no class, since a `Map`'s entries or a class's methods would be passed over. */
export function isPlain(value: unknown): value is { readonly [key: string]: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

export type Check<T> = (option: string, value: unknown, fallback: T) => T;

const finite = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

export function number(min: number, max: number): Check<number> {
  return (option, value, fallback) => {
    if (value === undefined) return fallback;
    if (!finite(value) || value < min || value > max) wrong(option, `a number from ${min} to ${max}`, value);
    return value;
  };
}

export function integer(min: number, max: number, unit = ''): Check<number> {
  return (option, value, fallback) => {
    if (value === undefined) return fallback;
    if (!Number.isSafeInteger(value) || (value as number) < min || (value as number) > max)
      wrong(option, `an integer from ${min} to ${max}${unit}`, value);
    return value as number;
  };
}

export const milliseconds = (min: number): Check<number> => integer(min, longestTimer, ' (milliseconds)');

export const boolean: Check<boolean> = (option, value, fallback) => {
  if (value === undefined) return fallback;
  if (typeof value !== 'boolean') wrong(option, 'a boolean', value);
  return value;
};

export function oneOf<T extends string>(...choices: readonly T[]): Check<T> {
  return (option, value, fallback) => {
    if (value === undefined) return fallback;
    if (!choices.includes(value as T)) wrong(option, `one of ${choices.map((c) => `"${c}"`).join(', ')}`, value);
    return value as T;
  };
}

export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (option, value, fallback) => (value === undefined ? fallback : check(option, value, undefined as never));
}

export type Shape<T> = { readonly [key in keyof T]-?: Check<T[key]> };

/** An object of known keys; an unknown one is an error that lists what there is. */
export function object<T extends object>(shape: Shape<T>): Check<T> {
  const keys = Object.keys(shape);
  return (option, value, fallback) => {
    if (value === undefined) return fallback;
    if (!isPlain(value)) wrong(option, `an object of ${keys.join(', ')}`, value);
    const prefix = option === '' ? '' : `${option}.`;
    for (const key of Object.keys(value)) {
      if (!keys.includes(key)) unknown(`${prefix}${key}`, keys);
    }
    const filled: Record<string, unknown> = {};
    for (const key of keys) {
      const check = (shape as Record<string, Check<unknown>>)[key] as Check<unknown>;
      filled[key] = check(`${prefix}${key}`, value[key], (fallback as Record<string, unknown>)?.[key]);
    }
    return Object.freeze(filled) as T;
  };
}

export const origin: Check<string> = (option, value) => {
  const parsed = typeof value === 'string' ? (URL.parse?.(value) ?? parse(value)) : null;
  if (parsed === null || parsed.origin === 'null') wrong(option, 'a web origin such as "https://example.com"', value);
  return parsed.origin;
};

function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

export const strings: Check<readonly string[]> = (option, value, fallback) => {
  if (value === undefined) return fallback;
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) wrong(option, 'an array of strings', value);
  return Object.freeze([...value]);
};

export const stringMap: Check<{ readonly [name: string]: string }> = (option, value, fallback) => {
  if (value === undefined) return fallback;
  if (!isPlain(value)) wrong(option, 'an object of strings', value);
  for (const [name, item] of Object.entries(value)) if (typeof item !== 'string') wrong(`${option}.${name}`, 'a string', item);
  return Object.freeze({ ...value }) as { readonly [name: string]: string };
};
