/** A host that runs under Node's permission model itself, with no more files than it needs. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const flag = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';

const program = `
import { createBulkhead } from ${JSON.stringify(new URL('../../src/bulkhead.js', import.meta.url).href)};
const bulkhead = await createBulkhead({ handler: ${JSON.stringify(new URL('../../../test/fixtures/various.mjs', import.meta.url).href)} });
console.log(Object.keys(bulkhead.capabilities).join());
await bulkhead.close();
`;

test('a host that may read only its own files and start threads can use the default tier', async () => {
  const readable = [root, realpathSync(`${root}node_modules`)].map(
    (path) => `--allow-fs-read=${path}${path.endsWith('/') ? '' : '/'}*`,
  );
  const flags = ['--no-warnings', flag, '--allow-worker', ...readable, '--input-type=module', '-e', program];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: root, timeout: 30_000 });
  assert.match(stdout, /elicitation/);
});
