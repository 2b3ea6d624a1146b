/**
 * The entry's bytes, read once: what is hashed here is what is evaluated later, and nothing reads the file again.
 *
 * Refused: an absolute path, a `..`, a backslash, a drive, and a symbolic link that leads out of the manifest's folder.
 */
import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { longestSource } from '../contract/plugin.js';
import { integrityOf, isIntact } from './integrity.js';
import type { LocatedManifest } from './manifest.js';
import { readBounded } from './read.js';
import { broken } from './refusal.js';

/** Reads, measures and hashes the entry; throws `load` where anything differs from the manifest. */
export async function readEntry(located: LocatedManifest): Promise<Buffer> {
  const { name, source } = located.manifest;
  const bytes = await readBounded(await locate(located), longestSource, (expected, received, cause) =>
    broken(name, 'source.entry', expected, received, cause),
  );
  if (bytes.length !== source.bytes) broken(name, 'source.bytes', `${source.bytes} bytes`, `${bytes.length}`);
  if (!isIntact(bytes, source.integrity)) broken(name, 'source.integrity', source.integrity, integrityOf(bytes));
  return bytes;
}

/** The entry's real path, which is inside the manifest's real folder. */
async function locate({ manifest, folder }: LocatedManifest): Promise<string> {
  const { name, source } = manifest;
  if (!isInside(source.entry))
    broken(name, 'source.entry', "a relative path inside the manifest's folder", JSON.stringify(source.entry));
  const home = await real(folder, name);
  const target = await real(join(home, source.entry), name);
  if (!target.startsWith(home.endsWith(sep) ? home : home + sep))
    broken(name, 'source.entry', "a file inside the manifest's folder", 'a link that leads out of it');
  return target;
}

function isInside(entry: string): boolean {
  if (entry.startsWith('/') || entry.includes('\\') || entry.includes('\0') || /^[A-Za-z]:/.test(entry)) return false;
  return entry.split('/').every((part) => part !== '..' && part !== '');
}

async function real(path: string, name: string): Promise<string> {
  return await realpath(path).catch((cause: NodeJS.ErrnoException) =>
    broken(name, 'source.entry', 'a file that exists', cause.code ?? 'an error', cause),
  );
}
