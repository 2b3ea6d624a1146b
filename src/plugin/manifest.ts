/**
 * `plugin.manifest.json`: what a plugin is, which bytes it consists of and what it asks for. Parsed once, checked against the
 * published schema, then believed in form but in nothing else: the bytes are hashed, the exports looked at, the permissions
 * held against the host's grant.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PluginManifest, permissionNames } from '../contract/plugin.js';
import { packageVersion } from '../version.js';
import { satisfies } from './engine.js';
import { canonicalOrigin } from './origin.js';
import { readBounded } from './read.js';
import { broken } from './refusal.js';
import { fault } from './schema.js';

export interface LocatedManifest {
  readonly manifest: PluginManifest;
  /** Absolute. */
  readonly path: string;
  readonly folder: string;
}

const longest = 256 * 1024;

/** Reads and checks a manifest; throws `load` naming the first field that is wrong. */
export async function readManifest(where: string | URL): Promise<LocatedManifest> {
  const path = typeof where === 'string' && !where.startsWith('file:') ? where : fileURLToPath(where);
  const bytes = await readBounded(path, 4 * longest, (expected, received, cause) =>
    broken(path, 'manifest', expected, received, cause),
  );
  return { manifest: await parseManifest(bytes.toString(), path), path, folder: dirname(path) };
}

export async function parseManifest(text: string, path: string): Promise<PluginManifest> {
  if (text.length > longest) broken(path, 'manifest', `at most ${longest} characters`, String(text.length));
  const value = parse(text, path);
  const wrong = await fault('manifest', value);
  if (wrong !== null) broken(path, wrong.field || 'manifest', wrong.expected, wrong.received);
  const manifest = value as PluginManifest;
  checkMeaning(manifest);
  return manifest;
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    return broken(path, 'manifest', 'JSON', 'text that is none', cause);
  }
}

/** What a schema cannot say. */
function checkMeaning(manifest: PluginManifest): void {
  const version = packageVersion();
  if (!satisfies(version, manifest.engine)) broken(manifest.name, 'engine', manifest.engine, `mcp-bulkhead ${version}`);
  const { permissions, optionalPermissions = {} } = manifest;
  for (const name of permissionNames) {
    if (permissions[name] !== undefined && optionalPermissions[name] !== undefined)
      broken(manifest.name, `optionalPermissions.${name}`, 'a permission that is not also needed', 'both');
  }
  for (const [field, wanted] of Object.entries({ permissions, optionalPermissions })) {
    for (const origin of wanted.fetch?.origins ?? []) {
      const canonical = canonicalOrigin(origin);
      if (canonical !== origin)
        broken(manifest.name, `${field}.fetch.origins`, canonical ?? 'a web origin', JSON.stringify(origin));
    }
  }
}
