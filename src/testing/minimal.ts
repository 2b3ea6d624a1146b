/**
 * The least that a form's field accepts: its default, else the smallest value its keywords allow. Made for forms as the guard
 * rebuilt them. A field that no candidate fits throws, naming the field: a test should choose that value itself.
 */
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
  switch (field.type) {
    case 'boolean':
      return false;
    case 'array':
      return options(field.items as FormField).slice(0, numeric(field.minItems) ?? 0);
    case 'number':
    case 'integer':
      return minimalNumber(name, field);
    default:
      return options(field)[0] ?? minimalString(name, field);
  }
}

function options(field: FormField): string[] {
  if (Array.isArray(field.enum)) return field.enum as string[];
  const titled = field.oneOf ?? field.anyOf;
  return Array.isArray(titled) ? titled.map((option) => (option as { const: string }).const) : [];
}

/** The first of zero, the bounds, what lies just inside them and their middle that keeps to every keyword. */
function minimalNumber(name: string, field: FormField): number {
  const choice = (field.enum as Json[] | undefined)?.[0];
  if (typeof choice === 'number') return choice;
  const step = numeric(field.multipleOf) ?? (field.type === 'integer' ? 1 : undefined);
  const found = [0, ...bounds(field).flatMap((bound) => around(bound, step))].find((value) => fits(value, field, step));
  if (found === undefined) throw unknownValue(name);
  return found;
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

function fits(value: number, field: FormField, step: number | undefined): boolean {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = field;
  return (
    value >= (numeric(minimum) ?? Number.NEGATIVE_INFINITY) &&
    value > (numeric(exclusiveMinimum) ?? Number.NEGATIVE_INFINITY) &&
    value <= (numeric(maximum) ?? Number.POSITIVE_INFINITY) &&
    value < (numeric(exclusiveMaximum) ?? Number.POSITIVE_INFINITY) &&
    (step === undefined || Number.isInteger(value / step))
  );
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

function minimalString(name: string, field: FormField): string {
  const shortest = numeric(field.minLength) ?? 0;
  const longest = numeric(field.maxLength) ?? Number.POSITIVE_INFINITY;
  const pattern = typeof field.pattern === 'string' ? new RegExp(field.pattern, 'u') : /(?:)/u;
  const example = examples[String(field.format)];
  const candidates = example === undefined ? guesses.concat('a'.repeat(Math.min(shortest, 100_000))) : [example];
  const found = candidates.find((text) => text.length >= shortest && text.length <= longest && pattern.test(text));
  if (found === undefined) throw unknownValue(name);
  return found;
}

const unknownValue = (name: string): Error =>
  new Error(`auto-accept: no value is known for the field "${name}"; give it a default`);
