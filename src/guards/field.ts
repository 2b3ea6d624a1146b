/**
 * One field of a form, parsed and rebuilt (behaviours 43 to 45): an untrusted property schema in, a field with only the
 * keywords of the protocol's subset out, or a refusal that names the spot.
 *
 * Words that are no keyword of JSON Schema, keywords that only annotate and keywords of another type are left out. Whatever
 * else would constrain an answer is refused, so that nothing is sent that the server's own schema forbids.
 */
import { fieldFault, isObject } from '../contract/form.js';
import { formats } from '../contract/formats.js';
import type { FormField, Json } from '../contract/handler.js';
import { maxPattern } from '../contract/pattern.js';
import { invalidParams, pass, type Verdict } from '../verdict.js';
import { assertions, numberEnum, stringEnum, structural, titled } from './choices.js';
import { type Draft, firstFault, forbidden, keyword, ordered, type Part, prose, type Source, says } from './draft.js';
import { matches } from './linear.js';

type Type = FormField['type'];

export interface ParsedField {
  readonly field: FormField;
  readonly textAltered: boolean;
}

/** Arrays are no part of revision 2025-06-18. */
export function parseField(source: unknown, path: string, arraysAllowed: boolean): Verdict<ParsedField> {
  if (!isObject(source)) return invalidParams('a field must be an object', path);
  const misplaced = firstFault([forbidden(...structural.filter((name) => name !== 'oneOf'))], source, blank(), path);
  if (misplaced !== undefined) return misplaced;
  const type = typeOf(source);
  if (type === undefined) return invalidParams('must be string, number, integer, boolean or array', `${path}/type`);
  if (type === 'array' && !arraysAllowed) return invalidParams('lists are not part of this protocol revision', `${path}/type`);
  const draft = blank();
  draft.keywords.type = type;
  const fault = firstFault([...parts[type], defaultValue, prose('title'), prose('description')], source, draft, path);
  if (fault !== undefined) return fault;
  return pass({ field: draft.keywords as unknown as FormField, textAltered: draft.textAltered });
}

const blank = (): Draft => ({ keywords: {}, textAltered: false });

const types = new Set<unknown>(['string', 'number', 'integer', 'boolean', 'array'] satisfies readonly Type[]);

/** A titled `oneOf` without `type` counts as a string (case 2). */
function typeOf(source: Source): Type | undefined {
  if (!says(source, 'type')) return Array.isArray(source.oneOf) ? 'string' : undefined;
  return types.has(source.type) ? (source.type as Type) : undefined;
}

/** Unknown formats are annotations (a Java server's `int32`, a generator's `uuid`), and left out. */
const format: Part = (source, draft) => {
  if (typeof source.format === 'string' && formats.has(source.format)) draft.keywords.format = source.format;
  return undefined;
};

/** A pattern too long to run is left out where the field has a format, which is checked; zod 4 writes such. */
const pattern: Part = (source, draft, path) => {
  const text = source.pattern;
  if (text === undefined) return undefined;
  if (typeof text !== 'string') return invalidParams('must be a string', `${path}/pattern`);
  if (text.length <= maxPattern) draft.keywords.pattern = text;
  else if (draft.keywords.format === undefined)
    return invalidParams(`must have at most ${maxPattern} characters`, `${path}/pattern`);
  return undefined;
};

const oneList: Part = (_source, draft, path) =>
  draft.keywords.enum !== undefined && draft.keywords.oneOf !== undefined
    ? invalidParams('there must be one list of options', `${path}/oneOf`)
    : undefined;

const items: Part = (source, draft, path) => {
  const place = `${path}/items`;
  if (!isObject(source.items)) return invalidParams('a list must name its options', place);
  const choice: Draft = { keywords: {}, textAltered: false };
  const fault = firstFault(itemParts, source.items, choice, place);
  if (fault !== undefined) return fault;
  draft.textAltered ||= choice.textAltered;
  return putItems(source.items, choice.keywords, draft, place);
};

/** `oneOf` is how an early proposal wrote the titled list; both come out as `anyOf`. */
const itemParts: readonly Part[] = [
  forbidden(...structural.filter((name) => name !== 'anyOf' && name !== 'oneOf'), ...assertions),
  stringEnum,
  titled('oneOf', 'anyOf'),
  titled('anyOf', 'anyOf'),
];

function putItems(source: Source, choice: Draft['keywords'], draft: Draft, place: string): ReturnType<Part> {
  const wrongType = source.type !== 'string' && !(source.type === undefined && choice.anyOf !== undefined);
  if (wrongType) return invalidParams('the items of a list must be strings', `${place}/type`);
  if ((choice.anyOf === undefined) === (choice.enum === undefined))
    return invalidParams('must be an enum or a titled anyOf', place);
  draft.keywords.items = choice.anyOf === undefined ? { type: 'string', ...choice } : { anyOf: choice.anyOf };
  return undefined;
}

/** Behaviour 44: a default fits its own field. */
const defaultValue: Part = (source, draft, path) => {
  if (source.default === undefined) return undefined;
  const fault = fieldFault(draft.keywords as unknown as FormField, source.default, matches);
  if (fault !== undefined) return invalidParams(`the default ${fault}`, `${path}/default`);
  draft.keywords.default = source.default as Json;
  return undefined;
};

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const isStep = (value: unknown): boolean => isNumber(value) && (value as number) > 0;
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';

const counted = (name: string): Part => keyword(name, isCount, 'a whole number, 0 or more');
const bound = (name: string): Part => keyword(name, isNumber, 'a finite number');

const numeric: readonly Part[] = [
  forbidden('oneOf'),
  bound('minimum'),
  bound('maximum'),
  bound('exclusiveMinimum'),
  bound('exclusiveMaximum'),
  keyword('multipleOf', isStep, 'a number above 0'),
  ordered('minimum', 'maximum'),
  numberEnum,
];

const parts: { readonly [type in Type]: readonly Part[] } = {
  string: [
    counted('minLength'),
    counted('maxLength'),
    ordered('minLength', 'maxLength'),
    format,
    pattern,
    stringEnum,
    titled('oneOf', 'oneOf'),
    oneList,
  ],
  number: numeric,
  integer: numeric,
  boolean: [forbidden('enum', 'oneOf')],
  array: [
    forbidden('enum', 'oneOf'),
    counted('minItems'),
    counted('maxItems'),
    ordered('minItems', 'maxItems'),
    keyword('uniqueItems', isBoolean, 'a boolean'),
    items,
  ],
};
