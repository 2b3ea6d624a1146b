import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { defaultsOf, type FormSchema, validateContent } from '../../src/handler.js';

const run = promisify(execFile);

const schema: FormSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2 },
    age: { type: 'integer', minimum: 0, default: 0 },
    'a/b~c': { type: 'boolean', default: false },
    tags: { type: 'array', items: { type: 'string', enum: ['x', 'y'] }, default: [] },
    note: { type: 'string', default: '' },
  },
  required: ['name'],
};

test('B61: validateContent lists every fault with its path', () => {
  assert.deepEqual(validateContent(schema, { name: 'Ada' }), []);
  assert.deepEqual(validateContent(schema, { name: 'A', age: -1, 'a/b~c': 'no', tags: ['x', 'z'], more: 1 }), [
    { path: '/name', reason: 'must have at least 2 characters' },
    { path: '/age', reason: 'must be at least 0' },
    { path: '/a~1b~0c', reason: 'must be true or false' },
    { path: '/tags', reason: 'item 1 is not one of the options' },
    { path: '/more', reason: 'is no field of the form' },
  ]);
  assert.deepEqual(validateContent(schema, undefined), [{ path: '/name', reason: 'is required' }]);
  assert.deepEqual(validateContent(schema, null), [{ path: '', reason: 'must be an object' }]);
});

test('B61: the list is bounded, and so is a path', () => {
  const content = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`${'k'.repeat(5000)}${index}`, 1]));
  const faults = validateContent(schema, content);
  assert.ok(faults.length <= 100 && faults.every(({ path }) => path.length < 500));
});

test('B61: defaultsOf gives what a form is pre-filled with, falsy defaults included', () => {
  assert.deepEqual(defaultsOf(schema), { age: 0, 'a/b~c': false, tags: [], note: '' });
  assert.deepEqual(defaultsOf({ type: 'object', properties: {} }), {});
});

test('B61: mcp-bulkhead/handler loads no SDK, no validator and no engine until a pattern is judged', async () => {
  const script = `
    import { createRequire, syncBuiltinESMExports } from 'node:module';
    const { validateContent } = await import(${JSON.stringify(new URL('../../src/handler.js', import.meta.url).href)});
    const loaded = () => Object.keys(createRequire(import.meta.url).cache).filter((path) => /node_modules/.test(path));
    validateContent({ type: 'object', properties: { a: { type: 'string' } } }, { a: 'x' });
    const before = loaded();
    validateContent({ type: 'object', properties: { a: { type: 'string', pattern: 'x' } } }, { a: 'x' });
    console.log(JSON.stringify([before.length, loaded().filter((path) => !/re2js/.test(path)).length, loaded().length]));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
  assert.deepEqual(JSON.parse(stdout), [0, 0, 1]);
});

test('case 15: a form is admitted and answered where code generation from strings is disallowed', async () => {
  const guards = new URL('../../src/guards/guards.js', import.meta.url).href;
  const options = new URL('../../src/options.js', import.meta.url).href;
  const script = `
    import { admit, release } from ${JSON.stringify(guards)};
    import { defaults } from ${JSON.stringify(options)};
    try { new Function(''); process.exit(3); } catch {}
    const requestedSchema = { type: 'object', properties: { a: { type: 'string', pattern: '^x', format: 'email' } }, required: ['a'] };
    const policy = { revision: '2025-11-25', elicitationModes: ['form'], serverOrigin: null, idle: false, limits: defaults.limits };
    const asked = admit({ kind: 'elicitation', params: { message: 'm', requestedSchema } }, policy);
    const said = ['x@y.zz', 'y@y.zz', 'x'].map((a) => release({ action: 'accept', content: { a } }, asked.value).ok);
    console.log(JSON.stringify(said));`;
  const { stdout } = await run(
    process.execPath,
    ['--disallow-code-generation-from-strings', '--input-type=module', '--eval', script],
    {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
    },
  );
  assert.deepEqual(JSON.parse(stdout), [true, false, false]);
});
