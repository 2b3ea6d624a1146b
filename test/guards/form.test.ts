import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FormSchema } from '../../src/contract/handler.js';
import { textOf } from '../../src/verdict.js';
import { accept, askForm, form, passed, type Revision, refused, revisions, schema } from './given.js';

const invalidParams = -32602;
const internal = -32603;

const shown = (properties: object): FormSchema => form(properties).params.requestedSchema as unknown as FormSchema;

test('B43: each kind of field passes with its keywords, and the callback sees just those', () => {
  const properties = {
    text: {
      type: 'string',
      title: 'T',
      description: 'D',
      minLength: 1,
      maxLength: 9,
      format: 'email',
      pattern: '@',
      default: 'a@b.cc',
    },
    number: { type: 'number', minimum: 0, maximum: 9, exclusiveMinimum: -1, exclusiveMaximum: 10, multipleOf: 0.5, default: 1.5 },
    integer: { type: 'integer', minimum: 0, maximum: 9, default: 0 },
    flag: { type: 'boolean', default: false },
    untitled: { type: 'string', enum: ['a', 'b'], default: 'b' },
    legacy: { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] },
    titled: { type: 'string', oneOf: [{ const: 'a', title: 'A' }] },
    list: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['x', 'y'] }, default: ['x'] },
    titledList: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] } },
    numbers: { type: 'integer', enum: [1, 2, 3] },
    fractions: { type: 'number', enum: [0.5, 1.5] },
  };
  assert.deepEqual(shown(properties), schema(properties));
});

test('B43: an empty form is a form, in every revision', () => {
  for (const revision of revisions) {
    const asked = form({}, undefined, { revision });
    assert.deepEqual(passed(accept({}, asked)), { action: 'accept', content: {} });
  }
});

test('B43: $schema, title, description and a boolean additionalProperties are fine on top', () => {
  const top = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'T',
    description: 'D',
    additionalProperties: false,
  };
  const asked = passed(askForm({ ...top, ...schema({ a: { type: 'string' } }) }));
  assert.deepEqual(asked.params.requestedSchema, {
    title: 'T',
    description: 'D',
    ...schema({ a: { type: 'string' } }),
  });
  for (const dialect of ['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2019-09/schema'])
    passed(askForm({ ...schema({}), $schema: dialect }));
  for (const dialect of ['https://example.com/mine', 7, ''])
    refused(askForm({ ...schema({}), $schema: dialect }), invalidParams, '/requestedSchema/$schema');
});

test('B43: unknown annotations and formats are ignored, also deep ones', () => {
  const noise = { examples: ['x'], $comment: 'c', 'x-ui': { a: { b: [{ c: 1 }] } }, readOnly: false, deprecated: true };
  assert.deepEqual(
    shown({ a: { type: 'string', format: 'uuid', ...noise }, b: { type: 'integer', format: 'int32', ...noise } }),
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer' } },
    },
  );
});

const structures: readonly (readonly [name: string, source: unknown, path: string])[] = [
  ['null', null, '/requestedSchema'],
  ['an array', [], '/requestedSchema'],
  ['no type', { properties: {} }, '/requestedSchema/type'],
  ['another type', { type: 'array', properties: {} }, '/requestedSchema/type'],
  ['a type list', { type: ['object'], properties: {} }, '/requestedSchema/type'],
  ['no properties', { type: 'object' }, '/requestedSchema/properties'],
  ['properties as a list', { type: 'object', properties: [] }, '/requestedSchema/properties'],
  ['a schema of more', { ...schema({}), additionalProperties: { type: 'string' } }, '/requestedSchema/additionalProperties'],
  ['anyOf on top', { ...schema({}), anyOf: [] }, '/requestedSchema/anyOf'],
  ['allOf on top', { ...schema({}), allOf: [] }, '/requestedSchema/allOf'],
  ['$ref on top', { ...schema({}), $ref: '#' }, '/requestedSchema/$ref'],
  ['patternProperties', { ...schema({}), patternProperties: { '^(a+)+$': {} } }, '/requestedSchema/patternProperties'],
  ['if', { ...schema({}), if: {} }, '/requestedSchema/if'],
];

for (const [name, source, path] of structures) {
  test(`B43: a form with ${name} is refused at ${path}`, () => {
    refused(askForm(source), invalidParams, path);
  });
}

const fields: readonly (readonly [name: string, field: unknown, at: string])[] = [
  ['no object', 'string', ''],
  ['true', true, ''],
  ['no type', {}, '/type'],
  ['a plain enum without type', { enum: ['a'] }, '/type'],
  ['a type list', { type: ['string', 'null'] }, '/type'],
  ['type null', { type: 'null' }, '/type'],
  ['a nested object', { type: 'object', properties: { street: { type: 'string' } } }, '/properties'],
  ['an object without properties', { type: 'object' }, '/type'],
  ['$ref', { $ref: '#/$defs/a' }, '/$ref'],
  ['$ref beside a type', { type: 'string', $ref: 'https://evil.example/x' }, '/$ref'],
  ['$dynamicRef', { type: 'string', $dynamicRef: '#x' }, '/$dynamicRef'],
  ['anyOf with null', { anyOf: [{ type: 'string' }, { type: 'null' }] }, '/anyOf'],
  ['allOf', { type: 'string', allOf: [{ pattern: 'a' }] }, '/allOf'],
  ['not', { type: 'string', not: {} }, '/not'],
  ['const', { type: 'string', const: 'x' }, '/const'],
  ['a list of objects', { type: 'array', items: { type: 'object', properties: {} } }, '/items/properties'],
  ['a list of free strings', { type: 'array', items: { type: 'string' } }, '/items'],
  ['a list of lists', { type: 'array', items: [{ type: 'string' }] }, '/items'],
  ['a list without items', { type: 'array' }, '/items'],
  ['a list by $ref', { type: 'array', items: { $ref: '#/x' } }, '/items/$ref'],
  ['prefixItems', { type: 'array', prefixItems: [] }, '/prefixItems'],
  ['items of numbers', { type: 'array', items: { type: 'number', enum: [1] } }, '/items/enum/0'],
  [
    'both enums in items',
    { type: 'array', items: { type: 'string', enum: ['a'], anyOf: [{ const: 'a', title: 'A' }] } },
    '/items',
  ],
  ['oneOf on a number', { type: 'number', oneOf: [{ const: 1, title: 'One' }] }, '/oneOf'],
  ['enum on a boolean', { type: 'boolean', enum: [true] }, '/enum'],
  ['an enum of numbers on a string', { type: 'string', enum: ['a', 1] }, '/enum/1'],
  ['an enum of strings on a number', { type: 'number', enum: [1, '2'] }, '/enum/1'],
  ['an empty enum', { type: 'string', enum: [] }, '/enum'],
  ['an enum that is no list', { type: 'string', enum: 'ab' }, '/enum'],
  ['names that do not pair', { type: 'string', enum: ['a', 'b'], enumNames: ['A'] }, '/enumNames'],
  [
    'an option named twice',
    { oneOf: ['a', 'b', 'a'].map((name, index) => ({ const: name, title: `${index}` })) },
    '/oneOf/2/const',
  ],
  ['an option without const', { type: 'string', oneOf: [{ title: 'A' }] }, '/oneOf/0/const'],
  ['an option with a number', { type: 'string', oneOf: [{ const: 1, title: 'A' }] }, '/oneOf/0/const'],
  ['an option with a schema', { type: 'string', oneOf: [{ const: 'a', title: 'A', properties: {} }] }, '/oneOf/0/properties'],
  ['an option that is a schema', { type: 'string', oneOf: [{ type: 'string' }] }, '/oneOf/0/const'],
  ['an odd title', { type: 'string', oneOf: [{ const: 'a', title: 1 }] }, '/oneOf/0/title'],
  ['an option of another type', { type: 'string', oneOf: [{ const: 'a', title: 'A', type: 'number' }] }, '/oneOf/0/type'],
  ['an option that is narrowed', { type: 'string', oneOf: [{ const: 'a', title: 'A', pattern: 'b' }] }, '/oneOf/0/pattern'],
  ['items that are narrowed', { type: 'array', items: { type: 'string', enum: ['a'], minLength: 2 } }, '/items/minLength'],
  ['two lists of options', { type: 'string', enum: ['a'], oneOf: [{ const: 'a', title: 'A' }] }, '/oneOf'],
  ['minLength as a text', { type: 'string', minLength: '3' }, '/minLength'],
  ['a negative maxLength', { type: 'string', maxLength: -1 }, '/maxLength'],
  ['a fractional minItems', { type: 'array', minItems: 0.5, items: { type: 'string', enum: ['a'] } }, '/minItems'],
  ['crossed lengths', { type: 'string', minLength: 3, maxLength: 2 }, '/minLength'],
  ['crossed bounds', { type: 'integer', minimum: 3, maximum: 2 }, '/minimum'],
  ['an infinite bound', JSON.parse('{"type":"number","maximum":1e400}'), '/maximum'],
  ['a draft-4 exclusive bound', { type: 'number', minimum: 1, exclusiveMinimum: true }, '/exclusiveMinimum'],
  ['a step of zero', { type: 'number', multipleOf: 0 }, '/multipleOf'],
  ['a pattern that is no text', { type: 'string', pattern: {} }, '/pattern'],
  ['a pattern of 257 characters', { type: 'string', pattern: 'a'.repeat(257) }, '/pattern'],
];

for (const [name, field, at] of fields) {
  test(`B43: a field with ${name} is refused at its path`, () => {
    refused(askForm(schema({ ok: { type: 'string' }, 'a/~b': field })), invalidParams, `/requestedSchema/properties/a~1~0b${at}`);
  });
}

test('B43: lists are part of the protocol from 2025-11-25 on (case 5)', () => {
  const colors = { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['Red', 'Green', 'Blue'] } };
  refused(askForm(schema({ colors }), { revision: '2025-06-18' }), invalidParams, '/requestedSchema/properties/colors/type');
  for (const revision of ['2025-11-25', '2026-07-28'] satisfies Revision[]) {
    const asked = form({ colors }, [], { revision });
    refused(accept({ colors: [] }, asked), internal, '/content/colors');
    passed(accept({ colors: ['Red'] }, asked));
    refused(accept({ colors: ['Red', 'Green', 'Blue'] }, asked), internal, '/content/colors');
  }
  refused(askForm(schema({ colors }, []), { revision: '2025-06-18' }), invalidParams);
});

test('B43: a $ref is refused and never fetched, whatever it points to', (t) => {
  t.mock.method(globalThis, 'fetch', () => assert.fail('fetched'));
  for (const $ref of ['https://evil.example/schema.json', 'file:///etc/passwd', '#/properties/a', ''])
    refused(askForm(schema({ a: { $ref } })), invalidParams, '/requestedSchema/properties/a/$ref');
});

test('B43: property order is what a person sees, so it survives, whoever asked first', () => {
  const field = { type: 'string' };
  assert.deepEqual(Object.keys(shown({ b: field, a: field, c: field }).properties), ['b', 'a', 'c']);
  assert.deepEqual(Object.keys(shown({ a: field, b: field, c: field }).properties), ['a', 'b', 'c']);
});

test('B43, B55, case 99: a refusal names the place without what would steer the terminal that it is printed on', () => {
  const name = 'a\u001b[2J\u009b1m\u202eb\r\nc';
  const asked = refused(askForm(schema({ [name]: { type: 'object' } })), invalidParams);
  assert.match(textOf(asked), / at \/requestedSchema\/properties\/a\[2J1mb c\/type$/);
  const answered = refused(accept({ [name]: 1 }, form({})), internal);
  assert.equal(textOf(answered), 'is no field of the form at /content/a[2J1mb c');
});

test('B44: required names existing properties', () => {
  const a = { a: { type: 'string' } };
  assert.deepEqual(form(a, ['a', 'a']).params.requestedSchema, schema(a, ['a']));
  refused(askForm(schema(a, ['a', 'b'])), invalidParams, '/requestedSchema/required/1');
  refused(askForm(schema(a, ['toString'])), invalidParams, '/requestedSchema/required/0');
  refused(askForm({ ...schema(a), required: true }), invalidParams, '/requestedSchema/required');
  refused(askForm({ ...schema(a), required: [1] }), invalidParams, '/requestedSchema/required/0');
});

test('B44: a default fits its own field', () => {
  const bad: readonly object[] = [
    { type: 'string', default: 1 },
    { type: 'string', default: null },
    { type: 'string', maxLength: 1, default: 'ab' },
    { type: 'string', pattern: '^a$', default: 'b' },
    { type: 'string', format: 'email', default: 'nobody' },
    { type: 'string', enum: ['a'], default: 'b' },
    { type: 'string', oneOf: [{ const: 'a', title: 'A' }], default: 'A' },
    { type: 'integer', default: 1.5 },
    { type: 'integer', default: '1' },
    { type: 'number', maximum: 3, default: 4 },
    { type: 'boolean', default: 'true' },
    { type: 'boolean', default: 0 },
    { type: 'array', items: { type: 'string', enum: ['a'] }, default: ['b'] },
    { type: 'array', minItems: 1, items: { type: 'string', enum: ['a'] }, default: [] },
  ];
  for (const field of bad) refused(askForm(schema({ f: field })), invalidParams, '/requestedSchema/properties/f/default');
});

test('B44: at most 64 fields, 256 options and 64 KiB', () => {
  const many = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, { type: 'string' }]));
  passed(askForm(schema(many(64))));
  refused(askForm(schema(many(65))), invalidParams, '/requestedSchema/properties');
  const choice = (count: number): object => ({
    c: { type: 'string', enum: Array.from({ length: count }, (_, index) => `o${index}`) },
  });
  passed(askForm(schema(choice(256))));
  refused(askForm(schema(choice(257))), invalidParams, '/requestedSchema/properties/c/enum');
  const sized = (bytes: number): object => {
    const empty = schema({ a: { type: 'string', description: '' } });
    return schema({ a: { type: 'string', description: 'x'.repeat(bytes - JSON.stringify(empty).length) } });
  };
  passed(askForm(sized(65_536)));
  refused(askForm(sized(65_537)), invalidParams, '/requestedSchema');
  refused(askForm(schema({ a: { type: 'string', description: '漢'.repeat(22_000) } })), invalidParams, '/requestedSchema');
});

test('B44: hostile names are plain own keys or refused, never inherited lookups', () => {
  for (const name of [
    'constructor',
    'toString',
    'hasOwnProperty',
    'valueOf',
    '',
    '0',
    'length',
    'a.b',
    '$ref',
    "x'];alert(1)//",
  ]) {
    const asked = form({ [name]: { type: 'string' } }, [name]);
    refused(accept({}, asked), internal);
    refused(accept({ [name]: 1 }, asked), internal);
    assert.deepEqual(passed(accept({ [name]: 'v' }, asked)), { action: 'accept', content: { [name]: 'v' } });
  }
  const proto = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}');
  refused(askForm(proto), invalidParams, '/requestedSchema/properties/__proto__');
  const asked = form({ a: { type: 'string' } });
  for (const text of ['{"__proto__":{"a":"x"}}', '{"constructor":1}', '{"toString":"x"}'])
    refused(accept(JSON.parse(text), asked), internal);
});

test('B45: the callback sees the rebuilt schema, frozen, and never the one that was sent', () => {
  const sent = schema({ a: { type: 'string', evil: { deep: true } } });
  const asked = passed(askForm(sent));
  const seen = asked.params.requestedSchema as unknown as FormSchema;
  assert.ok(Object.isFrozen(seen) && Object.isFrozen(seen.properties.a));
  assert.doesNotMatch(JSON.stringify(asked.params), /evil/);
});

test('B45: message, titles and descriptions lose unsafe code points, and textAltered says so', () => {
  const clean = schema({ a: { type: 'string', title: 'T\n\tT', enum: ['x'], enumNames: ['X'] } });
  const plain = passed(askForm(clean, {}, 'line\nline\ttab'));
  assert.ok(!plain.findings.textAltered && plain.params.message === 'line\nline\ttab');
  const dirty: readonly [message: string, source: object][] = [
    ['m\u202e', clean],
    ['m', { ...clean, title: 'T\u0007' }],
    ['m', { ...clean, description: '\u200b' }],
    ['m', schema({ a: { type: 'string', title: 'T\u001b[0m' } })],
    ['m', schema({ a: { type: 'string', description: '\ufeff' } })],
    ['m', schema({ a: { type: 'string', enum: ['x'], enumNames: ['X\u2066'] } })],
    ['m', schema({ a: { type: 'string', oneOf: [{ const: 'x', title: 'X\u0000' }] } })],
    ['m', schema({ a: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X\u0000' }] } } })],
  ];
  for (const [message, source] of dirty) {
    const asked = passed(askForm(source, {}, message));
    assert.ok(asked.findings.textAltered, JSON.stringify(source));
    assert.doesNotMatch(JSON.stringify(asked.params), /\\u0|[\u202e\u200b\ufeff\u2066]/);
  }
  const values = form({ a: { type: 'string', enum: ['x\u0007'] } });
  assert.deepEqual(
    passed(accept({ a: 'x\u0007' }, values)),
    { action: 'accept', content: { a: 'x\u0007' } },
    'values are not texts',
  );
});

test('B45: what a default prefills is a value, and stays as it was sent', () => {
  assert.deepEqual(shown({ a: { type: 'string', default: 'x\u0007' } }).properties.a?.default, 'x\u0007');
});

test('B43: members that are undefined, as objects passed in memory may have them, say nothing', () => {
  const source = {
    ...schema({
      a: { type: 'string', title: undefined, minLength: undefined, enum: undefined, $ref: undefined, default: undefined },
    }),
    required: undefined,
    $schema: undefined,
    anyOf: undefined,
  };
  assert.deepEqual(passed(askForm(source)).params.requestedSchema, schema({ a: { type: 'string' } }));
});
