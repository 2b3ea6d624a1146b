/**
 * One ESM plugin and its npm dependencies become one CommonJS text, by `esbuild`, which the author installs. The text then has
 * to pass what the compartment refuses, with the file and line that the author wrote.
 */
import { SourceMap } from 'node:module';
import { relative, resolve } from 'node:path';
import type { BuildOptions, Message } from 'esbuild';
import { callbackExports } from '../contract/plugin.js';
import { censor } from './censor.js';

interface Complaint {
  readonly file: string;
  /** From 1; 0 where there is no place to name. */
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

export type Bundled =
  | { readonly ok: true; readonly source: string; readonly map: string; readonly exports: readonly string[] }
  | { readonly ok: false; readonly complaints: readonly Complaint[] };

const options = {
  bundle: true,
  write: false,
  platform: 'neutral',
  mainFields: ['module', 'main'],
  conditions: ['import', 'module'],
  target: 'es2022',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  // The one word of Node's that libraries for any place ask for.
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'silent',
  sourcemap: 'external',
  metafile: true,
} satisfies BuildOptions;

export async function bundle(entry: string, folder: string): Promise<Bundled> {
  const { build } = await import('esbuild');
  try {
    const shared = { ...options, entryPoints: [entry], absWorkingDir: folder, outfile: 'plugin.cjs' };
    const [result, named] = await Promise.all([
      build({ ...shared, format: 'cjs' }),
      build({ ...shared, format: 'esm', sourcemap: false, outfile: 'plugin.mjs' }),
    ]);
    const text = (end: string): string => result.outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
    const source = text('.cjs');
    const map = text('.map');
    const complaints = complain(source, map, folder);
    if (complaints.length > 0) return { ok: false, complaints };
    const exports = Object.values(named.metafile.outputs).flatMap((output) => output.exports);
    if (!callbackExports.some((name) => exports.includes(name)))
      return {
        ok: false,
        complaints: [{ file: relative('', resolve(folder, entry)), line: 0, column: 0, reason: nothingCalled }],
      };
    return { ok: true, source, map, exports };
  } catch (error) {
    const { errors } = error as { errors?: Message[] };
    if (errors === undefined) throw error;
    return { ok: false, complaints: errors.map((message) => complaintOf(message, folder)) };
  }
}

const nothingCalled = `exports none of ${callbackExports.join(', ')} by name, as an ES module does`;

function complaintOf({ text, location }: Message, folder: string): Complaint {
  if (location === null) return { file: 'the entry', line: 0, column: 0, reason: text };
  return { file: relative('', resolve(folder, location.file)), line: location.line, column: location.column + 1, reason: text };
}

/** As a compiler would print it. */
export function spellComplaint({ file, line, column, reason }: Complaint): string {
  return line === 0 ? `${file}: ${reason}` : `${file}:${line}:${column}: ${reason}`;
}

/** Where the author wrote what the compartment would refuse. */
function complain(source: string, map: string, folder: string): Complaint[] {
  const found = censor(source);
  if (found.length === 0) return [];
  const mapped = new SourceMap(JSON.parse(map));
  return found.map(({ index, reason }) => {
    const before = source.slice(0, index).split('\n');
    const entry = mapped.findEntry(before.length - 1, (before.at(-1) ?? '').length);
    if (!('originalSource' in entry)) return { file: 'the bundle', line: before.length, column: 1, reason };
    const { originalSource, originalLine, originalColumn } = entry;
    return { file: relative('', `${folder}/${originalSource}`), line: originalLine + 1, column: originalColumn + 1, reason };
  });
}
