/** What a host meets whose bundler swallowed the package, although `docs/operating.md` asks to leave it out. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = mkdtempSync(join(tmpdir(), 'bulkhead-bundled-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('a bundle of the library can be loaded, and says that the package must be left out of it', async () => {
  const outfile = join(folder, 'host.cjs');
  const entry = fileURLToPath(new URL('../src/index.js', import.meta.url));
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'cjs', logLevel: 'silent' });
  const handler = join(folder, 'handler.cjs');
  writeFileSync(handler, 'exports.listRoots = () => ({ roots: [] });');
  const { createBulkhead } = createRequire(outfile)(outfile) as typeof import('../src/index.js');
  await assert.rejects(createBulkhead({ handler }), { kind: 'load', message: /mark "mcp-bulkhead" as external/ });
});
