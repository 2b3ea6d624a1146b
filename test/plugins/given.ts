/**
 * A plugin on disk for a test: folder, manifest, entry, all with sound defaults that a test breaks one at a time.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { PluginManifest } from '../../src/contract/plugin.js';
import { integrityOf } from '../../src/plugin/integrity.js';

export const source = `exports.listRoots = async (context) => ({ roots: [{ uri: 'file:///of/' + context.serverId }] });\n`;

/** A folder that goes when the test ends. */
export function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'bulkhead-plugin-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export function manifestOf(text: string, changes: Partial<PluginManifest> = {}): PluginManifest {
  return {
    manifestVersion: 1,
    name: 'acme-roots',
    version: '1.2.0',
    source: {
      entry: 'dist/plugin.cjs',
      integrity: integrityOf(Buffer.from(text)),
      bytes: Buffer.byteLength(text),
      format: 'cjs',
    },
    engine: '>=0.1 <1',
    callbacks: ['listRoots'],
    tiers: ['process', 'compartment'],
    permissions: {},
    ...changes,
  };
}

/** Writes both files; returns the manifest's path. `changes` may hold what no manifest should. */
export function plugin(t: TestContext, changes: object = {}, text: string = source): string {
  const home = folder(t);
  const path = join(home, 'plugin.manifest.json');
  const manifest = manifestOf(text, changes as Partial<PluginManifest>);
  writeFileSync(path, JSON.stringify(manifest));
  const entry = join(home, 'dist/plugin.cjs');
  mkdirSync(dirname(entry), { recursive: true });
  writeFileSync(entry, text);
  return path;
}
