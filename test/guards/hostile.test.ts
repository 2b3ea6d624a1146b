/** What a hostile server or callback sends to waste time or memory, refused before it costs any. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admit, release } from '../../src/guards/guards.js';
import type { Verdict } from '../../src/verdict.js';
import { fastest } from '../support/fastest.js';
import { accept, askForm, askUrl, form, passed, policy, refused, sample, schema } from './given.js';

/** Generous for a machine that is busy with other tests; each takes a fraction of it. */
const few = 8;

function nest(levels: number, make: (inner: unknown) => unknown): unknown {
  let value: unknown = { type: 'string' };
  for (let level = 0; level < levels; level++) value = make(value);
  return value;
}

const fiveMegabytes = 'x'.repeat(5_000_000);
const wide = '漢'.repeat(5_000_000);
const manyFields = schema(Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`f${index}`, { type: 'string' }])));
const deepSchema = nest(10_000, (inner) => ({ type: 'object', properties: { a: inner } }));
const deepArray = nest(10_000, (inner) => [inner]);

const millionOnes = Array.from({ length: 1_000_000 }, () => 1);

const requests: readonly (readonly [name: string, ask: () => Verdict<unknown>])[] = [
  ['a form of 20 000 fields', () => askForm(manyFields)],
  ['a schema 10 000 levels deep', () => askForm(deepSchema)],
  ['an annotation 10 000 levels deep', () => askForm(schema({ a: { type: 'string', 'x-deep': deepArray } }))],
  ['a description of 5 MB', () => askForm(schema({ a: { type: 'string', description: fiveMegabytes } }))],
  ['a default of 5 MB', () => askForm(schema({ a: { type: 'string', default: wide } }))],
  ['a pattern of 5 MB', () => askForm(schema({ a: { type: 'string', pattern: fiveMegabytes } }))],
  [
    'an enum of 100 000 options',
    () => askForm(schema({ a: { type: 'string', enum: Array.from({ length: 100_000 }, () => 'x') } })),
  ],
  [
    'a required list of 100 000 names',
    () =>
      askForm(
        schema(
          {},
          Array.from({ length: 100_000 }, () => 'x'),
        ),
      ),
  ],
  ['a field name of 5 MB', () => askForm(schema({ [fiveMegabytes]: { type: 'string' } }))],
  ['a message of 5 MB', () => askForm(schema({}), {}, fiveMegabytes)],
  ['a URL of 5 MB', () => askUrl(`https://example.com/${fiveMegabytes}`)],
  ['a sampling text of 5 MB', () => sample({ messages: [{ role: 'user', content: { type: 'text', text: fiveMegabytes } }] })],
  ['a system prompt of 5 MB', () => sample({ systemPrompt: wide })],
  ['metadata of a million numbers', () => sample({ metadata: { a: millionOnes } })],
  ['metadata 10 000 levels deep', () => sample({ metadata: { a: deepArray } })],
  [
    'a tool schema 10 000 levels deep',
    () => sample({ tools: [{ name: 'a', inputSchema: deepSchema }] }, { sampling: { tools: true } }),
  ],
];

for (const [name, ask] of requests) {
  test(`B44: ${name} is refused within a few milliseconds`, () => {
    refused(ask(), -32602);
    assert.ok(fastest(ask) < few);
  });
}

const asked = form({ a: { type: 'string', maxLength: 10 }, l: { type: 'array', items: { type: 'string', enum: ['x'] } } });
const answers: readonly (readonly [name: string, content: unknown])[] = [
  ['a text of 5 MB', { a: fiveMegabytes }],
  ['a wide text of 5 MB', { a: wide }],
  ['20 000 unknown keys', Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 1]))],
  ['a list of 100 000 items', { l: Array.from({ length: 100_000 }, () => 'y') }],
  ['a value 10 000 levels deep', { a: deepArray }],
];

for (const [name, content] of answers) {
  test(`B47: an answer of ${name} is refused within a few milliseconds`, () => {
    refused(accept(content, asked), -32603);
    assert.ok(fastest(() => accept(content, asked)) < few);
  });
}

test('B47: formats take linear time over a megabyte of text', () => {
  const texts = [
    'a'.repeat(1e6),
    'a.'.repeat(5e5),
    `${'a.'.repeat(20)}@${'a-'.repeat(5e5)}`,
    `https://${'a'.repeat(1e6)}`,
    `a:${'%41'.repeat(3e5)} `,
    '9'.repeat(1e6),
    `2024-01-01T00:00:00.${'9'.repeat(1e6)}`,
  ];
  for (const format of ['email', 'uri', 'date', 'date-time']) {
    const one = form({ f: { type: 'string', format } });
    for (const f of texts) assert.ok(fastest(() => accept({ f }, one), 3) < 50, format);
  }
});

test('B39: a sampling result of many blocks is judged in linear time', () => {
  const value = passed(sample({}));
  const said = { role: 'assistant', model: 'm', content: Array.from({ length: 10_000 }, () => ({ type: 'text', text: 'x' })) };
  assert.ok(release(said, value).ok);
  assert.ok(fastest(() => release(said, value)) < 20);
});

test('B39: thousands of tool calls are held against thousands of tools in linear time', () => {
  const tools = Array.from({ length: 10_000 }, (_, index) => ({ name: `n${index}`, inputSchema: {} }));
  const value = passed(sample({ tools }, { sampling: { tools: true } }));
  const content = tools.map(({ name }) => ({ type: 'tool_use', id: name, name, input: {} })).reverse();
  const said = { role: 'assistant', model: 'm', content };
  assert.ok(release(said, value).ok);
  assert.ok(fastest(() => release(said, value)) < 40);
});

test('B38: two hundred messages with tools are judged in linear time', () => {
  const pair = (index: number): object[] => [
    {
      role: 'assistant',
      content: Array.from({ length: 50 }, (_, use) => ({ type: 'tool_use', id: `${index}.${use}`, name: 'a', input: {} })),
    },
    {
      role: 'user',
      content: Array.from({ length: 50 }, (_, use) => ({ type: 'tool_result', toolUseId: `${index}.${use}`, content: [] })),
    },
  ];
  const messages = Array.from({ length: 100 }, (_, index) => pair(index)).flat();
  const ask = (): Verdict<unknown> => sample({ messages }, { sampling: { tools: true, maxToolIterations: 100 } });
  passed(ask());
  assert.ok(fastest(ask) < 40);
});

test('B49: ten thousand hostile roots are judged within a frame or two', () => {
  const roots = Array.from({ length: 10_000 }, (_, index) => ({ uri: `file:///tmp/${'../'.repeat(20)}${index}` }));
  assert.ok(fastest(() => release({ roots }, { kind: 'roots' }), 3) < 250);
});

test('B49: a list of a hundred thousand roots is not read to its end', () => {
  const roots = Array.from({ length: 100_000 }, () => ({ uri: '/a' }));
  assert.deepEqual(passed(release({ roots }, { kind: 'roots' })), { roots: [{ uri: 'file:///a' }] });
  assert.ok(fastest(() => release({ roots }, { kind: 'roots' })) < 100);
  const long = { roots: [{ uri: `/${'x'.repeat(1_000_000)}` }, { uri: '/b' }] };
  assert.deepEqual(passed(release(long, { kind: 'roots' })), { roots: [{ uri: 'file:///b' }] });
});

test('B44: 1e400, -0 and 2^53 in a schema are judged as what they are', () => {
  const ask = (text: string): Verdict<unknown> => askForm(JSON.parse(`{"type":"object","properties":{"n":${text}}}`));
  refused(ask('{"type":"number","minimum":1e400}'), -32602);
  refused(ask('{"type":"integer","default":1e400}'), -32602);
  refused(ask('{"type":"integer","default":9007199254740993}'), -32602);
  refused(ask('{"type":"number","enum":[1e400]}'), -32602);
  passed(ask('{"type":"integer","minimum":-0,"default":-0}'));
});

test('B44: a key of the request that is named __proto__ or constructor changes nothing', () => {
  const params = JSON.parse(
    '{"__proto__":{"mode":"url"},"constructor":1,"message":"m","requestedSchema":{"type":"object","properties":{},"__proto__":{"required":["x"]}}}',
  );
  const verdict = passed(admit({ kind: 'elicitation', params }, policy()));
  assert.equal(verdict.kind, 'form');
});
