/**
 * The enum shapes of a form, rebuilt: `enum` with or without `enumNames`, and lists of `const` and `title`. Titles lose
 * unsafe code points; values stay exactly as they are, since they are what is answered.
 */
import { isExact, isObject } from '../contract/form.js';
import type { Json } from '../contract/handler.js';
import { pointer } from '../contract/pointer.js';
import { invalidParams, type Refused } from '../verdict.js';
import { type Draft, type Part, readable, type Source, says } from './draft.js';

/** Behaviour 44. */
const maxOptions = 256;

/** Applicators and assertions outside the subset: composition, nesting, references, conditions. */
export const structural: readonly string[] = [
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'const',
  'properties',
  'patternProperties',
  'additionalProperties',
  'propertyNames',
  'dependentSchemas',
  'dependentRequired',
  'dependencies',
  'prefixItems',
  'additionalItems',
  'contains',
  'unevaluatedItems',
  'unevaluatedProperties',
];

/** What would narrow an option that is already named. */
export const assertions: readonly string[] = ['minLength', 'maxLength', 'pattern'];

const isString = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number' && isExact(value);

/** `enum` of strings, with as many `enumNames` as there are options, if any. */
export const stringEnum: Part = (source, draft, path) =>
  plainEnum(source, draft, path, isString, 'strings') ?? enumNames(source, draft, path);

/** `enum` of numbers, on a number or integer field. */
export const numberEnum: Part = (source, draft, path) => plainEnum(source, draft, path, isNumber, 'numbers');

/** `from: [{ const, title }]`, kept under the name `to`. A missing title is the value itself. */
export function titled(from: string, to: string): Part {
  return (source, draft, path) => {
    if (!says(source, from)) return undefined;
    const place = path + pointer(from);
    const options = source[from];
    const fault = listFault(options, place);
    if (fault !== undefined) return fault;
    const rebuilt: Json[] = [];
    const known = new Set<unknown>();
    for (const [index, option] of (options as unknown[]).entries()) {
      const wrong = optionFault(option, `${place}/${index}`);
      if (wrong !== undefined) return wrong;
      const { const: value } = option as Source;
      // Exactly one branch of a `oneOf` may hold, so a value that is named twice could not be chosen.
      if (from === 'oneOf' && known.has(value)) return invalidParams('the options must differ', `${place}/${index}/const`);
      known.add(value);
      rebuilt.push(rebuild(option as Source, draft));
    }
    draft.keywords[to] = rebuilt;
    return undefined;
  };
}

function plainEnum(
  source: Source,
  draft: Draft,
  path: string,
  fits: (value: unknown) => boolean,
  what: string,
): Refused | undefined {
  if (!says(source, 'enum')) return undefined;
  const options = source.enum;
  const fault = listFault(options, `${path}/enum`);
  if (fault !== undefined) return fault;
  const wrong = (options as unknown[]).findIndex((option) => !fits(option));
  if (wrong >= 0) return invalidParams(`the options must be ${what}`, `${path}/enum/${wrong}`);
  draft.keywords.enum = options as Json;
  return undefined;
}

function enumNames(source: Source, draft: Draft, path: string): Refused | undefined {
  const { enumNames: names } = source;
  const options = draft.keywords.enum as readonly string[] | undefined;
  if (names === undefined || options === undefined) return undefined;
  const paired = Array.isArray(names) && names.length === options.length && names.every(isString);
  if (!paired) return invalidParams('there must be one name for each option', `${path}/enumNames`);
  draft.keywords.enumNames = (names as readonly string[]).map((name) => readable(name, draft));
  return undefined;
}

function listFault(options: unknown, place: string): Refused | undefined {
  if (!Array.isArray(options) || options.length === 0) return invalidParams('must be a list of options', place);
  return options.length > maxOptions ? invalidParams(`there are at most ${maxOptions} options`, place) : undefined;
}

function optionFault(option: unknown, place: string): Refused | undefined {
  if (!isObject(option)) return invalidParams('an option must be an object of const and title', place);
  const foreign = [...structural, ...assertions, 'enum'].find((name) => name !== 'const' && says(option, name));
  if (foreign !== undefined) return invalidParams('not part of the form subset', place + pointer(foreign));
  if (option.type !== undefined && option.type !== 'string') return invalidParams('must be "string"', `${place}/type`);
  if (typeof option.const !== 'string') return invalidParams('must be a string', `${place}/const`);
  const titleFits = option.title === undefined || typeof option.title === 'string';
  return titleFits ? undefined : invalidParams('must be a string', `${place}/title`);
}

function rebuild(option: Source, draft: Draft): Json {
  const value = option.const as string;
  return { const: value, title: readable((option.title as string | undefined) ?? value, draft) };
}
