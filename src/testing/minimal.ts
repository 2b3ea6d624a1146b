/**
 * The least that a form's field accepts: its default, else the smallest value its keywords allow. Made for forms as the guard
 * rebuilt them. A field that no candidate fits throws, naming the field: a test should choose that value itself.
 */
import { linearMatches } from '../contract/engine.js';
import { fieldFault, optionsOf } from '../contract/form.js';
import type { FormField, FormSchema, FormValue, Json } from '../contract/handler.js';

/** Defaults wherever there are any, the smallest valid value for what else is required, nothing for the rest. */
export function minimalContent(schema: FormSchema): { readonly [name: string]: FormValue } {
  const required = new Set(schema.required);
  const content: [string, FormValue][] = [];
  for (const [name, field] of Object.entries(schema.properties)) {
    if (field.default !== undefined) content.push([name, field.default as FormValue]);
    else if (required.has(name)) content.push([name, minimalValue(name, field)]);
  }
  return Object.fromEntries(content);
}

function minimalValue(name: string, field: FormField): FormValue {
  const found = candidates(field).find((value) => fieldFault(field, value, linearMatches) === undefined);
  if (found === undefined) throw new Error(`auto-accept: no value is known for the field "${name}"; give it a default`);
  return found;
}

function candidates(field: FormField): readonly FormValue[] {
  const options = optionsOf(field) as readonly FormValue[] | undefined;
  switch (field.type) {
    case 'boolean':
      return [false];
    case 'array':
      return [((optionsOf(field.items as FormField) ?? []) as readonly string[]).slice(0, numeric(field.minItems) ?? 0)];
    case 'number':
    case 'integer':
      return options ?? numbers(field);
    default:
      return options ?? texts(field);
  }
}

/** Zero, the bounds, what lies just inside them and their middle. */
function numbers(field: FormField): readonly number[] {
  const step = field.type === 'integer' ? Math.ceil(numeric(field.multipleOf) ?? 1) : numeric(field.multipleOf);
  return [0, ...bounds(field).flatMap((bound) => around(bound, step))];
}

function bounds(field: FormField): number[] {
  const given = [field.minimum, field.exclusiveMinimum, field.maximum, field.exclusiveMaximum].filter(isNumber);
  return given.length < 2 ? given : [...given, (Math.min(...given) + Math.max(...given)) / 2];
}

function around(bound: number, step: number | undefined): number[] {
  if (step === undefined) return [bound, bound + 1, bound - 1];
  const below = Math.floor(bound / step);
  return [below * step, (below + 1) * step, (below - 1) * step];
}

const isNumber = (value: Json | undefined): value is number => typeof value === 'number';
const numeric = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value : undefined);

const examples: { readonly [format: string]: string } = {
  email: 'a@example.com',
  uri: 'https://example.com/',
  date: '2026-07-28',
  'date-time': '2026-07-28T00:00:00Z',
};

/** What patterns in the wild tend to accept; anything cleverer is for the test's own callback. */
const guesses = ['', 'a', 'A', '0', 'a1', 'A1', 'aaa', 'AAA', '000', 'Aa1!Aa1!', '0000', '00000', '000000', '000-0000', '1.0.0'];

function texts(field: FormField): readonly string[] {
  const example = examples[String(field.format)];
  return example === undefined ? guesses.concat('a'.repeat(Math.min(numeric(field.minLength) ?? 0, 100_000))) : [example];
}
