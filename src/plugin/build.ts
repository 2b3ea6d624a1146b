/**
 * `mcp-bulkhead plugin build`: bundles, and writes what belongs together into one folder: the entry, its source map, and the
 * author's manifest completed with what the bytes are. The author's own manifest is read and never changed; where there is
 * none, one is begun from the package's name and version and the callbacks that the plugin exports, with no permission at
 * all.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { callbackExports, type PluginManifest } from '../contract/plugin.js';
import { BulkheadError } from '../errors.js';
import { packageVersion } from '../version.js';
import { type Bundled, bundle } from './bundle.js';
import { integrityOf } from './integrity.js';
import { parseManifest } from './manifest.js';
import { type Needs, needsOf } from './needs.js';

export interface BuildRequest {
  /** The plugin's own first file. */
  readonly entry: string;
  /** The author's manifest, with or without `source`. */
  readonly manifest: string;
  /** The folder that is written. */
  readonly out: string;
}

export type Built =
  | {
      readonly ok: true;
      readonly manifest: PluginManifest;
      /** Of the completed manifest. */
      readonly path: string;
      /** The author's manifest was begun. */
      readonly begun: boolean;
      readonly needs: Needs;
    }
  | Extract<Bundled, { ok: false }>;

const entryName = 'plugin.cjs';

export async function buildPlugin({ entry, manifest: path, out }: BuildRequest): Promise<Built> {
  const home = dirname(resolve(path));
  const bundled = await bundle(resolve(entry), home);
  if (!bundled.ok) return bundled;
  const bytes = Buffer.from(bundled.source);
  const source = { entry: entryName, integrity: integrityOf(bytes), bytes: bytes.length, format: 'cjs' } as const;
  const written = await read(path);
  const authored = written ?? (await begin(home, bundled.exports));
  const complete = { ...authored, source };
  const target = join(out, 'plugin.manifest.json');
  const manifest = await parseManifest(JSON.stringify(complete), path);
  if (written === undefined) await writeJson(path, authored);
  await mkdir(out, { recursive: true });
  await writeFile(join(out, entryName), bytes);
  await writeFile(join(out, `${entryName}.map`), bundled.map);
  await writeJson(target, complete);
  return { ok: true, manifest, path: target, begun: written === undefined, needs: needsOf(bundled.source) };
}

const writeJson = (path: string, value: object): Promise<void> => writeFile(path, `${JSON.stringify(value, null, 2)}\n`);

async function read(path: string): Promise<object | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as object;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new BulkheadError('load', `${path}: ${(cause as Error).message}`, { cause });
  }
}

async function begin(folder: string, exported: readonly string[]): Promise<object> {
  const { name = 'plugin', version = '0.0.0' } = await nearestPackage(folder);
  const [major = '0', minor = '0'] = packageVersion().split('.');
  return {
    manifestVersion: 1,
    name: name.replace(/^@/, '').replaceAll('/', '-'),
    version,
    engine: `>=${major}.${minor} <${Number(major) + 1}`,
    callbacks: callbackExports.filter((callback) => exported.includes(callback)),
    tiers: ['process', 'compartment'],
    permissions: {},
  };
}

/** The package that the folder belongs to; empty if to none. */
async function nearestPackage(folder: string): Promise<{ readonly name?: string; readonly version?: string }> {
  const found = await read(join(folder, 'package.json'));
  if (found !== undefined) return found;
  const above = dirname(folder);
  return above === folder ? {} : await nearestPackage(above);
}
