/** Random forms of the subset, and answers that are right, nearly right, or nonsense. */
import fc from 'fast-check';

export type Field = { readonly [keyword: string]: unknown };

const word = fc.constantFrom(
  'a',
  'b',
  'ab',
  'x y',
  'é',
  '😀',
  '',
  'abc',
  '2024-01-01',
  'a@b.cc',
  'https://a.example/',
  '0',
  'true',
);
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined, freq: 2 });
const options = fc.uniqueArray(word, { minLength: 1, maxLength: 4 });
const titled = options.map((values) => values.map((value) => ({ const: value, title: `the ${value}` })));
const figure = fc.oneof(fc.integer({ min: -5, max: 10 }), fc.constantFrom(0.5, 0.1, -1.5, 2.25));

/** Two bounds in order. */
const range = (low: string, high: string, arbitrary: fc.Arbitrary<number>): fc.Arbitrary<Field> =>
  fc.tuple(maybe(arbitrary), maybe(arbitrary)).map(([one, other]) => {
    if (one === undefined || other === undefined) return { [low]: one, [high]: other };
    return { [low]: Math.min(one, other), [high]: Math.max(one, other) };
  });

const count = fc.integer({ min: 0, max: 4 });

const text = fc
  .tuple(
    range('minLength', 'maxLength', count),
    maybe(fc.constantFrom('email', 'uri', 'date', 'date-time')),
    maybe(fc.constantFrom('^a', 'b$', '^[a-z]+$', '.', '\\d', '(a|b)+', '\\p{L}')),
  )
  .map(([lengths, format, pattern]) => ({ type: 'string', ...lengths, format, pattern }));
const number = fc
  .tuple(
    fc.constantFrom('number', 'integer'),
    range('minimum', 'maximum', figure),
    range('exclusiveMinimum', 'exclusiveMaximum', figure),
    maybe(fc.constantFrom(1, 2, 0.5, 0.1)),
  )
  .map(([type, bounds, exclusive, multipleOf]) => ({ type, ...bounds, ...exclusive, multipleOf }));
const choice = fc.oneof(
  fc.tuple(options, text).map(([values, rest]) => ({ ...rest, enum: values })),
  fc.tuple(titled, text).map(([oneOf, rest]) => ({ ...rest, oneOf })),
  options.map((values) => ({ type: 'string', enum: values })),
  titled.map((oneOf) => ({ type: 'string', oneOf })),
  fc.tuple(fc.uniqueArray(figure, { minLength: 1, maxLength: 4 }), number).map(([values, rest]) => ({ ...rest, enum: values })),
);
const list = fc
  .tuple(
    range('minItems', 'maxItems', count),
    fc.oneof(
      options.map((values) => ({ type: 'string', enum: values })),
      titled.map((anyOf) => ({ anyOf })),
    ),
    maybe(fc.boolean()),
  )
  .map(([bounds, items, uniqueItems]) => ({ type: 'array', ...bounds, items, uniqueItems }));

const withoutGaps = (field: Field): Field => Object.fromEntries(Object.entries(field).filter(([, value]) => value !== undefined));

export const field: fc.Arbitrary<Field> = fc.oneof(text, number, choice, list, fc.constant({ type: 'boolean' })).map(withoutGaps);

const name = fc.constantFrom('a', 'b', 'c', 'constructor', 'toString', 'a/b', '~', '');

export interface RandomForm {
  readonly type: 'object';
  readonly properties: { readonly [name: string]: Field };
  readonly required: readonly string[];
}

export const randomForm: fc.Arbitrary<RandomForm> = fc
  .tuple(fc.uniqueArray(fc.tuple(name, field), { selector: ([key]) => key, maxLength: 4 }), fc.array(fc.nat(3)))
  .map(([fields, picks]) => {
    const names = fields.map(([key]) => key);
    const required = [...new Set(picks.flatMap((pick) => names[pick] ?? []))];
    return { type: 'object', properties: Object.fromEntries(fields), required };
  });

const value = fc.oneof(
  word,
  word,
  figure,
  fc.boolean(),
  fc.array(word, { maxLength: 4 }),
  fc.constantFrom<unknown>(null, {}, -0, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, '\ud800', [1], [null]),
);

export const answer: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 20, arbitrary: fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, [], 'x', 7) },
);

/** A value that has a fair chance to fit. */
function fitting(of: Field): fc.Arbitrary<unknown> {
  const values = (of.enum ?? (of.oneOf as readonly { const: string }[] | undefined)?.map((option) => option.const)) as
    | unknown[]
    | undefined;
  if (values !== undefined) return fc.constantFrom(...values);
  if (of.type === 'boolean') return fc.boolean();
  if (of.type === 'string') return word;
  if (of.type !== 'array') return figure;
  const items = of.items as { enum?: readonly string[]; anyOf?: readonly { const: string }[] };
  return fc.array(fc.constantFrom(...(items.enum ?? items.anyOf?.map((option) => option.const) ?? [])), { maxLength: 4 });
}

/** A form with an answer that fits, nearly fits or does not. */
export const question: fc.Arbitrary<readonly [RandomForm, unknown]> = randomForm.chain((form) => {
  const fair = fc.record(Object.fromEntries(Object.entries(form.properties).map(([key, of]) => [key, fitting(of)])), {
    requiredKeys: form.required.filter((key) => key !== 'b') as never[],
    noNullPrototype: true,
  });
  return fc.tuple(fc.constant(form), fc.oneof(fair, fair, answer));
});
