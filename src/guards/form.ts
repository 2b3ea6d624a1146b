/**
 * A form, parsed and rebuilt (behaviours 43 to 46): an untrusted schema in; out comes a frozen schema with only what the
 * protocol's subset knows, what was found about its fields, and the check that an answer is held against.
 *
 * Structure beyond one flat object is refused with its path; nothing is ever resolved or fetched. The same text of a schema
 * is parsed once while it is remembered.
 */
import { type FormFault, formFaults, isObject } from '../contract/form.js';
import type { FormField, FormSchema } from '../contract/handler.js';
import { overflows } from '../contract/plain.js';
import { pointer } from '../contract/pointer.js';
import { invalidParams, pass, type Refused, type Verdict } from '../verdict.js';
import { createCache } from './cache.js';
import { structural } from './choices.js';
import { type Draft, firstFault, forbidden, prose, type Source } from './draft.js';
import { parseField } from './field.js';
import { matches } from './linear.js';
import { suspectsSecret } from './secrets.js';
import { oversize } from './size.js';

/** Behaviour 44. Bytes are those of the schema's JSON. */
const maxFields = 64;
const maxBytes = 64 * 1024;
/** The subset needs seven levels; annotations that are left out may have more. */
const maxDepth = 32;

export interface Form {
  readonly schema: FormSchema;
  /** The schema as JSON. */
  readonly json: string;
  readonly secrets: { readonly [name: string]: { readonly sensitiveSuspected: boolean } };
  readonly textAltered: boolean;
  /** What is wrong with an answer; empty if nothing is. */
  readonly check: (content: unknown) => readonly FormFault[];
}

const place = '/requestedSchema';
const remembered = createCache<Form>({ entries: 256, weight: 2 ** 20 });

/** `arraysAllowed` is false under revision 2025-06-18. */
export function parseForm(source: unknown, arraysAllowed: boolean): Verdict<Form> {
  if (!isObject(source)) return invalidParams('a form needs a schema', place);
  if (isObject(source.properties) && Object.keys(source.properties).length > maxFields)
    return invalidParams(`there are at most ${maxFields} fields`, `${place}/properties`);
  const size = oversize(source, { depth: maxDepth, nodes: maxBytes / 2, size: maxBytes });
  if (size === 'deep') return invalidParams(`must have at most ${maxDepth} levels`, place);
  const text = size === undefined ? JSON.stringify(source) : '';
  if (size === 'large' || overflows(text, maxBytes)) return invalidParams(`must have at most ${maxBytes} bytes`, place);
  const key = `${arraysAllowed}${text}`;
  const known = remembered.get(key);
  if (known !== undefined) return pass(known);
  const form = parse(source, arraysAllowed);
  if (form.ok) remembered.set(key, form.value);
  return form;
}

function parse(source: Source, arraysAllowed: boolean): Verdict<Form> {
  const draft: Draft = { keywords: { type: 'object' }, textAltered: false };
  const fault = topFault(source, draft);
  if (fault !== undefined) return fault;
  const fields = parseFields(source.properties as Source, draft, arraysAllowed);
  if (!fields.ok) return fields;
  const required = parseRequired(source.required, fields.value);
  if (!required.ok) return required;
  const schema = freeze({ ...draft.keywords, properties: fields.value, ...required.value } as unknown as FormSchema);
  const { textAltered } = draft;
  const check: Form['check'] = (content) => formFaults(schema, content, matches);
  return pass(Object.freeze({ schema, json: JSON.stringify(schema), secrets: secretsOf(schema), textAltered, check }));
}

/** What may not stand beside `type` and `properties`. A schema for further properties is a structure, a boolean is none. */
const beside = structural.filter((name) => name !== 'properties' && name !== 'additionalProperties');

const topParts = [forbidden(...beside, 'enum', 'items', 'minProperties', 'maxProperties'), prose('title'), prose('description')];

function topFault(source: Source, draft: Draft): Refused | undefined {
  if (source.type !== 'object') return invalidParams('must be "object"', `${place}/type`);
  if (!dialectKnown(source.$schema)) return invalidParams('this dialect of JSON Schema is not supported', `${place}/$schema`);
  const extra = source.additionalProperties;
  if (extra !== undefined && typeof extra !== 'boolean')
    return invalidParams('must be a boolean', `${place}/additionalProperties`);
  if (!isObject(source.properties)) return invalidParams('must be an object of fields', `${place}/properties`);
  return firstFault(topParts, source, draft, place);
}

/** The subset means the same in all of these. */
const dialect = /^https?:\/\/json-schema\.org\/(?:draft-0[4-7]|draft\/20(?:19-09|20-12))\/schema#?$/;

const dialectKnown = (uri: unknown): boolean => uri === undefined || (typeof uri === 'string' && dialect.test(uri));

function parseFields(source: Source, draft: Draft, arraysAllowed: boolean): Verdict<Record<string, FormField>> {
  const fields: Record<string, FormField> = {};
  for (const name of Object.keys(source)) {
    const path = `${place}/properties${pointer(name)}`;
    // The one name that no object literal, and no generated check, can hold as a plain key.
    if (name === '__proto__') return invalidParams('this name is refused', path);
    const parsed = parseField(source[name], path, arraysAllowed);
    if (!parsed.ok) return parsed;
    fields[name] = parsed.value.field;
    draft.textAltered ||= parsed.value.textAltered;
  }
  return pass(fields);
}

function parseRequired(source: unknown, fields: Record<string, FormField>): Verdict<{ required?: readonly string[] }> {
  if (source === undefined) return pass({});
  const path = `${place}/required`;
  if (!Array.isArray(source)) return invalidParams('must be an array of field names', path);
  const stranger = source.findIndex((name) => typeof name !== 'string' || !Object.hasOwn(fields, name));
  if (stranger >= 0) return invalidParams('must name a field of the form', `${path}/${stranger}`);
  return pass({ required: [...new Set(source as string[])] });
}

function secretsOf(schema: FormSchema): Form['secrets'] {
  const flagged = Object.entries(schema.properties).map(([name, field]) => [
    name,
    { sensitiveSuspected: suspectsSecret(name, field) },
  ]);
  return freeze(Object.fromEntries(flagged));
}

/** The one schema serves every request that has the same text, so nobody may change it. */
function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze);
  return Object.freeze(value);
}
