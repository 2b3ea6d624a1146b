// Every example, run as its reader would run it: its lines come in this order, on stdout, and it ends by itself with code 0.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { expected } from './expected.js';

const built = new URL('../../examples/', import.meta.url);
const sources = new URL('../../../examples/', import.meta.url);

interface Ended {
  readonly code: unknown;
  readonly out: readonly string[];
  readonly err: string;
}

function run(name: string): Promise<Ended> {
  const host = fileURLToPath(new URL(`${name}/host.js`, built));
  return new Promise((resolve) => {
    // The bound is for an example that hangs, so it is far above what a loaded machine needs.
    execFile(process.execPath, [host], { timeout: 60_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? error.signal), out: stdout.trimEnd().split('\n'), err: stderr });
    });
  });
}

function assertLine(line: string | undefined, wanted: string | RegExp): void {
  if (typeof wanted === 'string') assert.equal(line, wanted);
  else assert.match(line ?? '', wanted);
}

test('every folder with a host is run here', () => {
  const folders = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /^[^/\\]+[/\\]host\.ts$/.test(path),
  );
  assert.deepEqual(folders.map((path) => path.slice(0, -'/host.ts'.length)).sort(), Object.keys(expected).sort());
});

describe('the examples', { concurrency: 2 }, () => {
  for (const [name, { shows, lines }] of Object.entries(expected))
    test(`examples/${name}: ${shows}`, async () => {
      const { code, out, err } = await run(name);
      assert.equal(code, 0, `${out.join('\n')}\n${err}`);
      for (const [at, wanted] of lines.entries()) assertLine(out[at], wanted);
      assert.equal(out.length, lines.length, `lines nobody expected:\n${out.slice(lines.length).join('\n')}`);
      assert.equal(err, '');
    });
});
