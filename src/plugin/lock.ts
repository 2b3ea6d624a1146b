/**
 * The host's lock file: name, version and integrity of each plugin that somebody decided to trust so far. A plugin that is not
 * in it, or differs from it, does not load. Only {@link pin} writes it.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { PluginManifest } from '../contract/plugin.js';
import { broken, turnAway } from './refusal.js';

interface LockedPlugin {
  readonly version: string;
  readonly integrity: string;
}

export interface Lock {
  readonly lockVersion: 1;
  readonly plugins: { readonly [name: string]: LockedPlugin };
}

const empty: Lock = { lockVersion: 1, plugins: {} };

/** Reads a lock file; throws `load` if it is missing or no lock file. */
export async function readLock(path: string | URL): Promise<Lock> {
  const file = typeof path === 'string' && path.startsWith('file:') ? new URL(path) : path;
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) =>
    broken(String(path), 'lock', 'a readable lock file', cause.code ?? 'an error', cause),
  );
  return parseLock(text, String(path));
}

function parseLock(text: string, path: string): Lock {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    return broken(path, 'lock', 'JSON', 'text that is none', cause);
  }
  return isLock(value)
    ? value
    : broken(path, 'lock', '{ lockVersion: 1, plugins: { name: { version, integrity } } }', 'another shape');
}

function isLock(value: unknown): value is Lock {
  const { lockVersion, plugins } = (value ?? {}) as Record<string, unknown>;
  return lockVersion === 1 && typeof plugins === 'object' && plugins !== null && Object.values(plugins).every(isLocked);
}

const isLocked = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as LockedPlugin).version === 'string' &&
  typeof (value as LockedPlugin).integrity === 'string';

/** Throws `load` unless the lock pins exactly this plugin. */
export function requireLocked(lock: Lock, { name, version, source }: PluginManifest): void {
  const locked = Object.hasOwn(lock.plugins, name) ? lock.plugins[name] : undefined;
  if (locked === undefined) turnAway(name, 'lock', `${version} ${source.integrity}`, 'no entry of that name');
  if (locked.version !== version) turnAway(name, 'lock.version', version, locked.version);
  if (locked.integrity !== source.integrity) turnAway(name, 'lock.integrity', source.integrity, locked.integrity);
}

/** Writes this plugin's entry, creating the file if there is none. The file is replaced whole or not at all. */
export async function pin(path: string, { name, version, source }: PluginManifest): Promise<void> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  const before = text === null ? empty : parseLock(text, path);
  const plugins = Object.fromEntries(
    [
      ...Object.entries(before.plugins).filter(([other]) => other !== name),
      [name, { version, integrity: source.integrity }] as const,
    ].sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  const next = `${path}.${process.pid}.next`;
  await writeFile(next, `${JSON.stringify({ lockVersion: 1, plugins }, null, 2)}\n`);
  await rename(next, path);
}
