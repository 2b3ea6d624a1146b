/** The schemas that published servers and generators really send, accepted and answered. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { FormSchema } from '../../src/contract/handler.js';
import { accept, askForm, form, passed, refused, schema } from './given.js';

const invalidParams = -32602;
const internal = -32603;

/** Published without types, so its name is no literal. */
const everythingTool: string = '@modelcontextprotocol/server-everything/dist/tools/trigger-elicitation-request.js';

/** What the tool of server-everything asks, from its own code. */
async function everythingForm(): Promise<unknown> {
  const { registerTriggerElicitationRequestTool } = (await import(everythingTool)) as {
    registerTriggerElicitationRequestTool(server: object): void;
  };
  let asked: unknown;
  const extra = {
    async sendRequest(request: { params: { requestedSchema: unknown } }) {
      asked = request.params.requestedSchema;
      return { action: 'cancel' };
    },
  };
  let tool: ((args: object, extra: object) => Promise<unknown>) | undefined;
  registerTriggerElicitationRequestTool({
    server: { getClientCapabilities: () => ({ elicitation: {} }) },
    registerTool: (_name: string, _config: object, run: typeof tool) => {
      tool = run;
    },
  });
  await tool?.({}, extra);
  return asked;
}

test('B43: the form of server-everything is accepted whole and answered', async () => {
  const source = (await everythingForm()) as FormSchema;
  const asked = passed(askForm(source));
  const seen = asked.params.requestedSchema as unknown as FormSchema;
  assert.deepEqual(Object.keys(seen.properties), Object.keys(source.properties));
  assert.ok(Object.keys(seen.properties).length >= 12);
  assert.deepEqual(seen.properties, source.properties, 'nothing it says is lost');
  const content = {
    name: 'Ada',
    check: true,
    firstLine: 'It was a dark and stormy night.',
    email: 'ada@example.com',
    homepage: 'https://example.com/',
    birthdate: '1815-12-10',
    integer: 42,
    number: 3.14,
    untitledSingleSelectEnum: 'Monica',
    untitledMultipleSelectEnum: ['Guitar'],
    titledSingleSelectEnum: 'hero-1',
  };
  assert.deepEqual(passed(accept(content, asked)), { action: 'accept', content });
  const wrong = {
    email: 'ada',
    homepage: 'home',
    birthdate: '10.12.1815',
    integer: 101,
    number: 1001,
    titledSingleSelectEnum: 'Superman',
  };
  for (const [key, value] of Object.entries(wrong))
    refused(accept({ ...content, [key]: value }, asked), internal, `/content/${key}`);
});

test('B43: what zod 4 generates is accepted and answered, patterns, steps and bounds included', () => {
  const source = z.toJSONSchema(
    z.object({
      mail: z.email(),
      site: z.url(),
      at: z.iso.datetime(),
      zoned: z.iso.datetime({ offset: true }),
      day: z.iso.date(),
      stars: z.int().min(1).max(5),
      price: z.number().multipleOf(0.5).positive(),
      agree: z.boolean().default(true),
      size: z.enum(['s', 'm']),
      tags: z.array(z.enum(['x', 'y'])).min(1),
      code: z.string().min(2).max(4).regex(/^a+$/).describe('letters a'),
      id: z.uuid(),
      note: z.string().optional(),
      small: z.int32(),
    }),
  );
  const asked = passed(askForm(source));
  const content = {
    mail: 'a@b.cc',
    site: 'https://a.example/',
    at: '2024-02-29T10:00:00Z',
    zoned: '2024-02-29T10:00:00+02:00',
    day: '2024-02-29',
    stars: 5,
    price: 1.5,
    agree: false,
    size: 'm',
    tags: ['x'],
    code: 'aaa',
    id: '123e4567-e89b-42d3-a456-426614174000',
    small: 7,
  };
  passed(accept(content, asked));
  const wrong = {
    code: 'bbb',
    id: 'nope',
    at: '2024-02-30T10:00:00Z',
    zoned: 'x',
    price: 1.25,
    small: 2 ** 31,
    tags: [],
    size: 'l',
    stars: 6,
  };
  for (const [key, value] of Object.entries(wrong))
    refused(accept({ ...content, [key]: value }, asked), internal, `/content/${key}`);
});

test('B43: what pydantic writes for a flat model is accepted and answered', () => {
  const asked = passed(
    askForm({
      title: 'Booking',
      description: 'A table for the evening.',
      type: 'object',
      properties: {
        checkAlternative: { title: 'Checkalternative', type: 'boolean', description: 'Look for another date?' },
        alternativeDate: { title: 'Alternativedate', type: 'string', default: '2024-12-26', format: 'date' },
        guests: { title: 'Guests', type: 'integer', minimum: 1, exclusiveMaximum: 21, default: 2 },
        seat: { title: 'Seat', type: 'string', enum: ['inside', 'outside'] },
      },
      required: ['checkAlternative', 'seat'],
    }),
  );
  passed(accept({ checkAlternative: true, seat: 'inside', guests: 20 }, asked));
  refused(accept({ checkAlternative: true, seat: 'inside', guests: 21 }, asked), internal, '/content/guests');
  const optional = { anyOf: [{ type: 'string' }, { type: 'null' }], default: null };
  refused(askForm(schema({ nick: optional })), invalidParams, '/requestedSchema/properties/nick/anyOf');
  const byReference = { ...schema({ color: { $ref: '#/$defs/Color' } }), $defs: { Color: { enum: ['red'], type: 'string' } } };
  refused(askForm(byReference), invalidParams, '/requestedSchema/properties/color/$ref');
});

test('B43: what a Java server generates, with format int32 and the like, is accepted and answered', () => {
  const asked = form(
    {
      id: { type: 'integer', format: 'int32' },
      total: { type: 'integer', format: 'int64' },
      ratio: { type: 'number', format: 'double' },
      tags: { type: 'array', uniqueItems: true, items: { type: 'string', enum: ['a', 'b'] } },
    },
    ['id'],
  );
  passed(accept({ id: 2 ** 40, total: 5, ratio: 0.1, tags: ['a', 'b'] }, asked));
  refused(accept({ id: 1.5 }, asked), internal, '/content/id');
  refused(accept({ id: 1, tags: ['a', 'a'] }, asked), internal, '/content/tags');
});

test('case 2: a titled enum as a bare oneOf is served with its type and without', () => {
  const oneOf = [
    { const: 'low', title: 'Low' },
    { const: 'high', title: 'High' },
  ];
  for (const priority of [{ oneOf }, { type: 'string', oneOf }]) {
    const asked = form({ priority }, ['priority']);
    assert.deepEqual((asked.params.requestedSchema as unknown as FormSchema).properties.priority, { type: 'string', oneOf });
    passed(accept({ priority: 'low' }, asked));
    refused(accept({ priority: 'Low' }, asked), internal, '/content/priority');
  }
});

test('case 3: all five enum shapes in one form; titles are never values', () => {
  const asked = form({
    a: { type: 'string', enum: ['x', 'y'] },
    b: { type: 'string', oneOf: [{ const: 'v1', title: 'One' }] },
    c: { type: 'string', enum: ['o1', 'o2'], enumNames: ['First', 'Second'] },
    d: { type: 'array', items: { type: 'string', enum: ['x', 'y'] } },
    e: { type: 'array', items: { anyOf: [{ const: 'v1', title: 'One' }] } },
  });
  const good = { a: 'x', b: 'v1', c: 'o1', d: ['x', 'y'], e: ['v1'] };
  passed(accept(good, asked));
  refused(accept({ ...good, e: ['nope'] }, asked), internal, '/content/e');
  refused(accept({ ...good, d: 'x' }, asked), internal, '/content/d');
  for (const [key, value] of Object.entries({ b: 'One', c: 'First', e: ['One'] }))
    refused(accept({ ...good, [key]: value }, asked), internal, `/content/${key}`);
});

test('case 3: an early titled list, written with oneOf, comes out as anyOf', () => {
  const options = [{ const: 'v1', title: 'One' }];
  const asked = form({ e: { type: 'array', items: { oneOf: options } } });
  assert.deepEqual((asked.params.requestedSchema as unknown as FormSchema).properties.e?.items, { anyOf: options });
});

test('case 7: a form without fields is accepted as {}, declined and cancelled; nothing waits for a field', () => {
  const asked = passed(askForm(schema({}), {}, 'Buy 1x Baguette for $5.00?'));
  assert.deepEqual(asked.findings.fields, {});
  assert.deepEqual(passed(accept({}, asked)), { action: 'accept', content: {} });
});

test('case 8: a placeholder on an empty form is an unknown key', () => {
  refused(accept({ none: '' }, form({})), internal, '/content/none');
});

test('case 9: what cannot be rendered is refused straight away', () => {
  refused(askForm(schema({ cfg: { type: 'object' } })), invalidParams, '/requestedSchema/properties/cfg/type');
  refused(askForm(null), invalidParams, '/requestedSchema');
  refused(askForm(undefined), invalidParams, '/requestedSchema');
});

test('case 10: nesting, references, type lists and composition are named by their path, in a few words', () => {
  const rows: readonly (readonly [source: unknown, path: string])[] = [
    [
      schema({ address: { type: 'object', properties: { street: { type: 'string' } } } }),
      '/requestedSchema/properties/address/properties',
    ],
    [schema({ a: { $ref: '#/$defs/a' } }), '/requestedSchema/properties/a/$ref'],
    [schema({ a: { type: ['string', 'null'] } }), '/requestedSchema/properties/a/type'],
    [{ ...schema({}), anyOf: [{ required: ['a'] }] }, '/requestedSchema/anyOf'],
  ];
  for (const [source, path] of rows) {
    const { reason } = refused(askForm(source), invalidParams, path);
    assert.ok(reason.length < 80);
  }
});

const probes: readonly (readonly [name: string, field: object, right: unknown, wrong: unknown])[] = [
  ['string', { type: 'string' }, 'x', 1],
  ['described string', { type: 'string', description: 'about' }, 'x', null],
  ['minLength', { type: 'string', minLength: 3 }, 'abc', 'ab'],
  ['email', { type: 'string', format: 'email' }, 'a@b.cc', 'ab'],
  ['enum', { type: 'string', enum: ['a', 'b'] }, 'a', 'c'],
  ['integer', { type: 'integer' }, 1, 1.5],
  ['bounded integer', { type: 'integer', minimum: 1, maximum: 3 }, 3, 4],
  ['number', { type: 'number' }, 1.5, '1.5'],
  ['boolean', { type: 'boolean' }, false, 'false'],
  ['defaults', { type: 'string', default: 'd' }, 'e', 5],
  ['titled enum', { type: 'string', oneOf: [{ const: 'a', title: 'A' }] }, 'a', 'A'],
  ['multi-enum', { type: 'array', items: { type: 'string', enum: ['a'] } }, ['a'], ['b']],
];

for (const [name, field, right, wrong] of probes) {
  test(`case 11: the probe "${name}" reaches the callback unchanged, and a wrong value does not reach the wire`, () => {
    const asked = form({ f: field });
    assert.deepEqual((asked.params.requestedSchema as unknown as FormSchema).properties.f, field);
    passed(accept({ f: right }, asked));
    refused(accept({ f: wrong }, asked), internal, '/content/f');
  });
}
