import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Report } from '../../src/cli/measure/answer.js';

const main = fileURLToPath(new URL('../../bench/main.js', import.meta.url));

test('a smoke run of a question answers, writes page, Markdown and JSON, and says that its figures mean nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    const json = join(folder, 'report.json');
    const args = [main, '--smoke', '--only', 'overhead', '--json', json, '--out', folder];
    const { stderr } = await promisify(execFile)(process.execPath, args);
    const report = JSON.parse(readFileSync(json, 'utf8')) as Report;
    assert.equal(report.smoke, true);
    assert.deepEqual(
      report.sections.map(({ failure, name }) => [name, failure]),
      [['overhead', undefined]],
    );
    assert.ok((report.sections[0]?.tables.length ?? 0) > 0 && (report.sections[0]?.goals.length ?? 0) > 0);
    assert.match(readFileSync(join(folder, 'RESULTS.md'), 'utf8'), /its figures mean nothing/);
    assert.match(readFileSync(join(folder, 'report', 'index.html'), 'utf8'), /<svg /);
    assert.match(stderr, /Node \d+\.\d+\.\d+/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a question that does not exist is named, with those that do', async () => {
  await assert.rejects(
    promisify(execFile)(process.execPath, [main, '--only', 'nonsense']),
    /no question "nonsense"; there are overhead/,
  );
});
