/** The strictest reading: what is released fits the schema exactly as the server sent it, whatever keywords it has thrown in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { question, type RandomForm } from './arbitrary.js';
import { accept, askForm } from './given.js';

const schema = fc.constantFrom<unknown>(
  {},
  { type: 'string' },
  { const: 'a' },
  { enum: ['a'] },
  false,
  true,
  { minLength: 3 },
  { pattern: '^b' },
);
const schemas = fc.array(schema, { minLength: 1, maxLength: 2 });
const small = fc.integer({ min: -3, max: 5 });

/** Every keyword that asserts, applies or refers, and some that annotate. */
const keywords: { readonly [keyword: string]: fc.Arbitrary<unknown> } = {
  ...Object.fromEntries(
    ['not', 'if', 'then', 'else', 'contains', 'items', 'additionalItems', 'unevaluatedItems'].map((name) => [name, schema]),
  ),
  ...Object.fromEntries(['unevaluatedProperties', 'additionalProperties', 'propertyNames'].map((name) => [name, schema])),
  ...Object.fromEntries(['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((name) => [name, schemas])),
  ...Object.fromEntries(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((name) => [name, small])),
  ...Object.fromEntries(
    ['minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains', 'minProperties', 'maxProperties'].map(
      (name) => [name, fc.nat(3)],
    ),
  ),
  const: fc.constantFrom('a', 1, null),
  enum: fc.array(fc.constantFrom('a', 'ab', 1, 0.5, true, null), { maxLength: 3 }),
  type: fc.constantFrom<unknown>('string', 'number', 'integer', 'boolean', 'array', 'object', 'null', ['string']),
  pattern: fc.constantFrom('a', '^b', '\\d'),
  multipleOf: fc.constantFrom(1, 2, 0.5),
  uniqueItems: fc.boolean(),
  required: fc.constant(['zz']),
  properties: fc.constant({ a: false }),
  patternProperties: fc.constant({ '.': false }),
  dependentRequired: fc.constant({ a: ['zz'] }),
  dependentSchemas: fc.constant({ a: false }),
  dependencies: fc.constant({ a: ['zz'] }),
  $ref: fc.constantFrom('#', '#/properties/a'),
  $dynamicRef: fc.constant('#'),
  $defs: fc.constant({ a: false }),
  default: fc.constantFrom('a', 1, true),
  nullable: fc.constant(true),
  readOnly: fc.constant(true),
};
const keyword = fc.oneof(...Object.entries(keywords).map(([name, value]) => fc.tuple(fc.constant(name), value)));

/** Adds keywords to a field, or to the items of a list. */
function mangled(form: RandomForm, name: string, inItems: boolean, more: readonly (readonly [string, unknown])[]): RandomForm {
  const copy = structuredClone(form) as { properties: { [name: string]: { items?: object } } };
  const field = Object.hasOwn(copy.properties, name) ? copy.properties[name] : undefined;
  if (field !== undefined) Object.assign((inItems ? field.items : undefined) ?? field, Object.fromEntries(more));
  return copy as unknown as RandomForm;
}

test('B43, B47: what is released passes an independent validator of the schema as it was sent', () => {
  let released = 0;
  const where = fc.constantFrom('a', 'b', 'c', 'constructor');
  const more = fc.array(keyword, { maxLength: 2 });
  const onTop = fc.array(keyword, { maxLength: 1 });
  fc.assert(
    fc.property(question, where, fc.boolean(), more, onTop, ([form, content], name, inItems, added, top) => {
      const sent = { ...mangled(form, name, inItems, added), ...Object.fromEntries(top) };
      const asked = askForm(sent);
      if (!asked.ok) return;
      const said = accept(content, asked.value);
      if (!said.ok) return;
      released += 1;
      const verdict = new Validator(sent as never, '2020-12').validate(JSON.parse(JSON.stringify(said.value.content)));
      assert.ok(verdict.valid, JSON.stringify([sent, content]));
    }),
    { numRuns: 4000 },
  );
  assert.ok(released > 300, `only ${released} answers were released`);
});
