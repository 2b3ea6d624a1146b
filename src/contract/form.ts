/**
 * The interpreter of the form subset (behaviours 43 to 48, 61): a rebuilt schema and an answer in, faults out.
 *
 * It needs no code generation and no library, so it runs in workers, in compartments and where evaluating strings is
 * forbidden. Exact: no coercion, no unknown keys, nothing inherited. A fault names a place and a limit, never a value.
 */
import { formats } from './formats.js';
import type { FormField, FormSchema, FormValue, Json } from './handler.js';
import { pointer } from './pointer.js';
import { isWellFormed } from './unicode.js';

export interface FormFault {
  /** JSON Pointer into the content; `""` is the content itself. */
  readonly path: string;
  readonly reason: string;
}

/** Whether `text` has a match for `pattern`; true where the pattern cannot be run, which makes it an annotation. */
export type Matches = (pattern: string, text: string) => boolean;

/** A list that is long enough to correct a form by; an answer of 20 000 wrong keys does not get 20 000 faults. */
const maxFaults = 100;

/** What is wrong with `content` as an answer to `schema`; empty if nothing is. Missing content counts as `{}`. */
export function formFaults(schema: FormSchema, content: unknown, matches: Matches): readonly FormFault[] {
  const answer = content === undefined ? {} : content;
  if (!isObject(answer)) return [{ path: '', reason: 'must be an object' }];
  const { properties = {} } = schema;
  const faults: FormFault[] = [];
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(answer, name)) faults.push({ path: pointer(name), reason: 'is required' });
  }
  for (const name of Object.keys(answer)) {
    if (faults.length >= maxFaults) break;
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const fault = field === undefined ? 'is no field of the form' : fieldFault(field, answer[name], matches);
    if (fault !== undefined) faults.push({ path: pointer(name), reason: fault });
  }
  return faults;
}

/** What is wrong with one value, or undefined. */
export function fieldFault(field: FormField, value: unknown, matches: Matches): string | undefined {
  switch (field.type) {
    case 'string':
      return typeof value === 'string' ? stringFault(field, value, matches) : 'must be a string';
    case 'number':
    case 'integer':
      return typeof value === 'number'
        ? numberFault(field, value)
        : `must be ${field.type === 'integer' ? 'an integer' : 'a number'}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'array':
      return Array.isArray(value) ? arrayFault(field, value) : 'must be an array';
    default:
      return 'is of no known type';
  }
}

/** What the form would be pre-filled with: the defaults of the fields that have one, falsy ones included. */
export function defaultsOf(schema: FormSchema): Record<string, FormValue> {
  const filled: Record<string, FormValue> = {};
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (name !== '__proto__' && field.default !== undefined) filled[name] = field.default as FormValue;
  }
  return filled;
}

function stringFault(field: FormField, text: string, matches: Matches): string | undefined {
  if (optionsOf(field)?.includes(text) === false) return 'is not one of the options';
  const { minLength, maxLength, format, pattern } = field;
  if (typeof minLength === 'number' && shorter(text, minLength)) return `must have at least ${minLength} characters`;
  if (typeof maxLength === 'number' && longer(text, maxLength)) return `must have at most ${maxLength} characters`;
  // After the lengths, which settle a text of megabytes without reading it.
  if (!isWellFormed(text)) return 'must be well-formed Unicode';
  if (typeof format === 'string' && formats.get(format)?.(text) === false) return `must be in the format "${format}"`;
  if (typeof pattern === 'string' && !matches(pattern, text)) return 'must match the pattern';
  return undefined;
}

function numberFault(field: FormField, value: number): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = field;
  if (!isExact(value)) return 'must be finite and, if whole, within 2^53';
  if (field.type === 'integer' && !Number.isInteger(value)) return 'must be an integer';
  if (typeof minimum === 'number' && value < minimum) return `must be at least ${minimum}`;
  if (typeof maximum === 'number' && value > maximum) return `must be at most ${maximum}`;
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) return `must be above ${exclusiveMinimum}`;
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) return `must be below ${exclusiveMaximum}`;
  if (typeof multipleOf === 'number' && !isMultiple(value, multipleOf)) return `must be a multiple of ${multipleOf}`;
  return optionsOf(field)?.includes(value) === false ? 'is not one of the options' : undefined;
}

function arrayFault(field: FormField, values: readonly unknown[]): string | undefined {
  const { minItems, maxItems, items } = field;
  if (typeof minItems === 'number' && values.length < minItems) return `must have at least ${minItems} items`;
  if (typeof maxItems === 'number' && values.length > maxItems) return `must have at most ${maxItems} items`;
  const options = new Set(isObject(items) ? optionsOf(items) : []);
  const wrong = values.findIndex((value) => !options.has(value as Json));
  if (wrong >= 0) return `item ${wrong} is not one of the options`;
  return field.uniqueItems === true && new Set(values).size < values.length ? 'must not repeat an item' : undefined;
}

/** The values to choose from, of a field or of a multi-select's items. */
export function optionsOf(field: { readonly [keyword: string]: unknown }): readonly Json[] | undefined {
  const titled = field.oneOf ?? field.anyOf;
  if (Array.isArray(titled)) return titled.map((option) => (isObject(option) ? (option.const as Json) : null));
  return Array.isArray(field.enum) ? (field.enum as readonly Json[]) : undefined;
}

/** Whether JSON carries the number unharmed: finite, and a whole one within what a double can tell apart. */
export function isExact(value: number): boolean {
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}

/** Of finite numbers. Exact in decimal, as they are written: 4.35 is a multiple of 0.01, whatever binary fractions say. */
export function isMultiple(value: number, step: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  const [a, b] = [decimal(value), decimal(step)];
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (part: Decimal): bigint => part.digits * 10n ** BigInt(part.exponent - exponent);
  return scaled(a) % scaled(b) === 0n;
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimal(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** Lengths count code points; UTF-16 units settle most of them without counting. */
function shorter(text: string, min: number): boolean {
  return text.length < min || (text.length < min * 2 && points(text) < min);
}

function longer(text: string, max: number): boolean {
  return text.length > max && (text.length > max * 2 || points(text) > max);
}

function points(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
