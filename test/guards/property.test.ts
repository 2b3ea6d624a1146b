import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@cfworker/json-schema';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { defaultsOf, isExact, isMultiple } from '../../src/contract/form.js';
import { formats } from '../../src/contract/formats.js';
import type { FormSchema } from '../../src/contract/handler.js';
import { admit, release } from '../../src/guards/guards.js';
import { matches } from '../../src/guards/linear.js';
import type { Asked } from '../../src/guards/policy.js';
import type { Refused } from '../../src/verdict.js';
import { type Field, question, type RandomForm, randomForm } from './arbitrary.js';
import { accept, askForm, passed, policy, revisions, sample } from './given.js';

/** The rules that a general validator does not have, in the words of each library's own extension points. */
function createAjv(): Ajv {
  // Without `allErrors` ajv 8.20 lets a required property named "" be missing.
  const ajv = new Ajv({ strict: false, validateSchema: false, ownProperties: true, logger: false, allErrors: true });
  for (const [name, validate] of formats) ajv.addFormat(name, validate);
  ajv.removeKeyword('multipleOf');
  ajv.removeKeyword('pattern');
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    validate: (step: number, value: number) => !isExact(value) || isMultiple(value, step),
  });
  ajv.addKeyword({ keyword: 'pattern', type: 'string', validate: (pattern: string, text: string) => matches(pattern, text) });
  ajv.addKeyword({ keyword: 'exact', type: 'number', validate: (_: true, value: number) => isExact(value) });
  ajv.addKeyword({ keyword: 'wellFormed', type: 'string', validate: (_: true, text: string) => !/\p{Cs}/u.test(text) });
  return ajv;
}

function strict(form: RandomForm): object {
  const extended = (field: Field): Field =>
    field.type === 'string' ? { ...field, wellFormed: true } : { ...field, exact: true };
  const properties = Object.fromEntries(Object.entries(form.properties).map(([name, field]) => [name, extended(field)]));
  return { ...form, properties, additionalProperties: false };
}

test('B43: the interpreter and ajv say the same of thousands of random forms and answers', () => {
  let accepted = 0;
  let ajv = createAjv();
  const compare = ([form, content]: readonly [RandomForm, unknown]): void => {
    const ours = accept(content, passed(askForm(form)));
    assert.equal(ours.ok, ajv.compile(strict(form))(content), JSON.stringify([form, content, ours]));
    if (ours.ok) accepted += 1;
  };
  // Ajv keeps what it compiles for ever, so it is replaced now and then.
  for (let round = 0; round < 10; round++, ajv = createAjv()) fc.assert(fc.property(question, compare), { numRuns: 100 });
  assert.ok(accepted > 100, `only ${accepted} answers fitted: the comparison says little`);
});

test('B43: the interpreter and ajv say the same of many answers to the same random forms', () => {
  const ajv = createAjv();
  const forms = fc.sample(question, 120).map(([form]) => [form, passed(askForm(form)), ajv.compile(strict(form))] as const);
  const answers = fc.sample(question, 100).map(([, content]) => content);
  for (const [form, asked, check] of forms)
    for (const content of answers) assert.equal(accept(content, asked).ok, check(content), JSON.stringify([form, content]));
});

test('B47: what is released passes an independent validator', () => {
  let released = 0;
  fc.assert(
    fc.property(question, ([form, content]) => {
      const ours = accept(content, passed(askForm(form)));
      if (!ours.ok) return;
      released += 1;
      const referee = new Validator({ ...form, additionalProperties: false } as never, '2020-12');
      const said = JSON.parse(JSON.stringify(ours.value)) as { content: unknown };
      assert.ok(referee.validate(said.content).valid, JSON.stringify([form, content]));
      const names = Object.keys(form.properties);
      assert.ok(Object.keys(said.content as object).every((key) => names.includes(key)));
    }),
    { numRuns: 4000 },
  );
  assert.ok(released > 400);
});

test('B43: rebuilding a rebuilt schema changes nothing, and loses none of the subset', () => {
  fc.assert(
    fc.property(randomForm, (form) => {
      const once = passed(askForm(form)).params.requestedSchema;
      assert.deepEqual(once, form);
      assert.deepEqual(passed(askForm(once)).params.requestedSchema, once);
    }),
    { numRuns: 1000 },
  );
});

test('B48: what is filled in is released, and is what defaultsOf says', () => {
  fc.assert(
    fc.property(question, ([form, content]) => {
      const [first] = Object.keys(form.properties);
      fc.pre(first !== undefined && typeof content === 'object' && content !== null && Object.hasOwn(content, first));
      const value = (content as Record<string, unknown>)[first];
      const withDefault = { ...form, properties: { ...form.properties, [first]: { ...form.properties[first], default: value } } };
      const asked = askForm(withDefault, { elicitation: { applyDefaults: true } });
      if (!asked.ok) return;
      const { [first]: _, ...rest } = content as Record<string, unknown>;
      const verdict = accept(rest, asked.value);
      if (!verdict.ok) return;
      assert.deepEqual((verdict.value.content as Record<string, unknown>)[first], value);
      assert.deepEqual(defaultsOf(asked.value.params.requestedSchema as unknown as FormSchema), { [first]: value });
    }),
    { numRuns: 1500 },
  );
});

/** Anything at all, and things that look like requests. */
const anything = fc.oneof(
  fc.anything({ withBigInt: true, withNullPrototype: true, withDate: true, withMap: true, withObjectString: true }),
  fc.jsonValue(),
);
const lookalike = fc.record(
  {
    message: fc.oneof(fc.string(), anything),
    mode: fc.constantFrom('form', 'url', 'x'),
    url: fc.oneof(fc.webUrl(), anything),
    elicitationId: fc.oneof(fc.string(), anything),
    requestedSchema: fc.record(
      { type: fc.constant('object'), properties: fc.dictionary(fc.string(), anything), required: anything },
      { requiredKeys: ['type'] },
    ),
    messages: fc.array(fc.record({ role: fc.constantFrom('user', 'assistant', 'x'), content: anything })),
    maxTokens: fc.oneof(fc.nat(), anything),
    tools: anything,
    toolChoice: anything,
    modelPreferences: anything,
  },
  { requiredKeys: [] },
);

test('B43: the text of an admitted form says exactly what its params say', () => {
  const forms = randomForm.map((form) => ({ ...form, title: 'a "title"\n\u2028' }));
  fc.assert(
    fc.property(forms, fc.string({ unit: 'binary', maxLength: 40 }), (form, message) => {
      const { json, params } = passed(askForm(form, {}, message));
      assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(params)));
    }),
    { numRuns: 500 },
  );
});

function explained({ code, reason, path }: Refused, codes: readonly number[]): void {
  assert.ok(codes.includes(code), `${code}`);
  assert.ok(reason.length > 0 && reason.length < 200, reason);
  assert.match(path ?? 'none', /^(?:\/.{0,500})?$/su);
}

test('B33 to B49: no input makes a guard throw, and every refusal has a code, a reason and a path', () => {
  const asks: readonly Asked[] = [passed(sample({})), passed(askForm({ type: 'object', properties: {} })), { kind: 'roots' }];
  fc.assert(
    fc.property(
      fc.oneof(anything, lookalike),
      fc.constantFrom('sampling', 'elicitation', 'roots'),
      fc.constantFrom(...revisions),
      (params, kind, revision) => {
        const admitted = admit({ kind: kind as 'sampling', params }, policy({ revision, sampling: { tools: true } }));
        if (!admitted.ok) explained(admitted, [-32602, policy().limits.sampling.rejectionCode]);
        for (const asked of admitted.ok ? [admitted.value, ...asks] : asks) {
          const released = release(params, asked);
          if (!released.ok) explained(released, [-32603]);
        }
      },
    ),
    { numRuns: 4000 },
  );
});

test('B33 to B49: getters and proxies that throw are refused', () => {
  const trap = new Proxy({}, { get: () => assert.fail('read'), ownKeys: () => assert.fail('read') });
  for (const kind of ['sampling', 'elicitation'] as const) assert.ok(!admit({ kind, params: trap }, policy()).ok);
  for (const asked of [passed(sample({})), passed(askForm({ type: 'object', properties: {} }))])
    assert.ok(!release(trap, asked).ok);
  assert.ok(!release({ action: 'accept', content: trap }, passed(askForm({ type: 'object', properties: {} }))).ok);
  assert.ok(!release({ roots: trap }, { kind: 'roots' }).ok);
});
