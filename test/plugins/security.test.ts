/** SECURITY.md names a test for each promise: the file is there, and one of its tests has these words. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const lines = readFileSync(`${root}SECURITY.md`, 'utf8').split('\n');
const named = lines.flatMap((line) =>
  [...line.matchAll(/`(test\/[\w/.-]+)` "([^"]+)"/g)].map(([, file = '', words = '']) => ({ file, words })),
);

test('every test that SECURITY.md names is there, by file and words', () => {
  assert.ok(named.length > 20);
  for (const { file, words } of named) {
    assert.ok(existsSync(root + file), file);
    assert.ok(readFileSync(root + file, 'utf8').includes(words), `${file}: ${words}`);
  }
});

test('every promise names a test', () => {
  const silent = lines.filter((line) => line.startsWith('- ') && !line.includes('`test/'));
  const exempt = [
    'Anything against a bug in V8',
    'Bounds below the platform',
    'Other callbacks of the same plugin',
    'Silence of a plugin',
    'That a granted name',
    'Freedom from timing',
    'That a callback’s own',
  ];
  assert.deepEqual(
    silent.filter((line) => !exempt.some((words) => line.replace("'", '’').includes(words))),
    [],
  );
});
