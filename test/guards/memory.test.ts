import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { createCache } from '../../src/guards/cache.js';

const run = promisify(execFile);

test('B45: the cache forgets what was used longest ago, by number and by weight', () => {
  const cache = createCache<number>({ entries: 3, weight: 10 });
  for (const [index, key] of ['a', 'b', 'c'].entries()) cache.set(key, index);
  assert.equal(cache.get('a'), 0, 'used again, so the youngest now');
  cache.set('d', 3);
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((key) => cache.get(key)),
    [0, undefined, 2, 3],
  );
  cache.set('x'.repeat(9), 4);
  assert.equal(cache.size, 2, 'nine units and one fit into ten');
  cache.set('y'.repeat(11), 5);
  assert.equal(cache.size, 2, 'a key that outweighs the cache is not kept');
  cache.set('d', 6);
  assert.equal(cache.get('d'), 6);
  assert.equal(cache.size, 2);
});

test('case 14: 20 000 different forms, answered, leave the heap flat', async () => {
  const script = `
    import { admit, release } from ${JSON.stringify(new URL('../../src/guards/guards.js', import.meta.url).href)};
    import { defaults } from ${JSON.stringify(new URL('../../src/options.js', import.meta.url).href)};
    const policy = { revision: '2025-11-25', elicitationModes: ['form'], serverOrigin: null, idle: false, limits: defaults.limits };
    let next = 0;
    const forms = (count) => {
      for (const end = next + count; next < end; next++) {
        const a = { type: 'string', description: 'number ' + next, ...(next % 20 ? {} : { pattern: '^x' + next + '$' }) };
        const asked = admit({ kind: 'elicitation', params: { message: 'm', requestedSchema: { type: 'object', properties: { a } } } }, policy);
        if (!release({ action: 'accept', content: { a: 'x' + next } }, asked.value).ok) process.exit(3);
      }
      gc();
      return process.memoryUsage().heapUsed;
    };
    const before = forms(4000);
    console.log((forms(20000) - before) / 20000);`;
  const { stdout } = await run(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script]);
  assert.ok(Number(stdout) < 50, `${stdout.trim()} bytes a form`);
});
