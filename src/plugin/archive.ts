/**
 * A plugin as one file: a gzipped tar of manifest and entry, the same bytes for the same plugin whenever and wherever it is
 * made (no times, owners or modes of the machine).
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readEntry } from './entry.js';
import { integrityOf } from './integrity.js';
import { readManifest } from './manifest.js';

export interface Packed {
  readonly path: string;
  readonly integrity: string;
  readonly bytes: number;
}

const block = 512;

/** Checks the plugin as a host would, then writes `<name>-<version>.tgz` into `folder`. */
export async function packPlugin(manifestPath: string, folder: string): Promise<Packed> {
  const located = await readManifest(manifestPath);
  const entry = await readEntry(located);
  const { name, version, source } = located.manifest;
  const manifest = Buffer.from(`${JSON.stringify(located.manifest, null, 2)}\n`);
  const archive = gzipSync(tar({ 'plugin.manifest.json': manifest, [source.entry.replace(/^\.\//, '')]: entry }), { level: 9 });
  // The operating system's name is the only byte that differs between machines.
  archive[9] = 255;
  const path = join(folder, `${name}-${version}.tgz`);
  await writeFile(path, archive);
  return { path, integrity: integrityOf(archive), bytes: archive.length };
}

/** POSIX ustar. */
function tar(files: { readonly [path: string]: Buffer }): Buffer {
  const parts = Object.entries(files).flatMap(([path, content]) => [
    header(`package/${path}`, content.length),
    content,
    Buffer.alloc((block - (content.length % block)) % block),
  ]);
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

function header(path: string, size: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new RangeError(`pack: the path "${path}" is longer than 100 bytes`);
  const field = Buffer.alloc(block);
  field.write(path, 0);
  field.write('0000644\0', 100);
  field.write('0000000\0', 108);
  field.write('0000000\0', 116);
  field.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  field.write('00000000000\0', 136);
  field.write('        ', 148);
  field.write('0', 156);
  field.write('ustar\x0000', 257);
  const sum = field.reduce((total, byte) => total + byte, 0);
  field.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return field;
}
