// The demo as a stranger runs it: a child process, its exit code, its report, its JSON.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { locateServers } from '../../src/cli/demo/packages.js';
import { run } from '../../src/cli/program.js';
import { recordingTerminal } from '../support/terminal.js';

const main = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function runCli(...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  return new Promise((resolve, reject) => child.on('error', reject).on('close', (code) => resolve({ code, out, err })));
}

test('the demo exits 0, its report fits 100 columns, and every claim in its JSON holds', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bulkhead-demo-'));
  const json = join(folder, 'demo.json');
  const { code, out, err } = await runCli('demo', '--json', json);
  assert.equal(code, 0, `${out}\n${err}`);
  assert.equal(err, '');
  for (const line of out.split('\n')) assert.ok(line.length <= 100, `${line.length} columns: ${line}`);
  assert.doesNotMatch(out, /✗ (?!stopped here)/);
  const { claims, records, threadsLeft } = JSON.parse(await readFile(json, 'utf8'));
  assert.ok(claims.length >= 9);
  assert.ok(claims.every((claim: { holds: boolean }) => claim.holds));
  assert.equal(threadsLeft, 0);
  const outcomes = records.map((record: { outcome: string }) => record.outcome);
  assert.equal(outcomes.filter((outcome: string) => outcome === 'killed').length, 1);
  assert.equal(outcomes.filter((outcome: string) => outcome === 'refused').length, 2);
  await rm(folder, { recursive: true });
});

const broken: readonly (readonly [what: string, source: string | null, says: RegExp])[] = [
  ['that is not there', null, /no such|not found|cannot find|does not exist/i],
  ['with a syntax error', 'export const = 1;', /SyntaxError/],
  ['that throws while loading', 'throw new Error("boom")', /boom/],
  ['that exits while loading', 'process.exit(3)', /exited with code 3/],
  ['with an export that is no function', 'export const handleSampling = 5', /"handleSampling" should be a function/],
];
for (const [index, [what, source, says]] of broken.entries())
  test(`a handler module ${what} is one line of error that names it`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bulkhead-handler-'));
    const file = join(folder, `handler-${index}.mjs`);
    if (source !== null) await writeFile(file, source);
    const terminal = recordingTerminal();
    assert.equal(await run(['demo', '--handler', file], terminal), 1);
    assert.deepEqual(terminal.out, []);
    const [line = '', ...more] = terminal.err;
    assert.deepEqual(more, []);
    assert.match(line, /^mcp-bulkhead: .*handler-\d\.mjs.*$/);
    assert.match(line, says);
    await rm(folder, { recursive: true });
  });

test('a process whose handler module cannot be used ends by itself', async () => {
  const { code, out, err } = await runCli('demo', '--handler', 'no-such-handler.mjs');
  assert.deepEqual({ code, out }, { code: 1, out: '' });
  assert.match(err, /^mcp-bulkhead: .*no-such-handler\.mjs.*\n$/);
});

test('a claim that does not hold is shown as such, and the exit code is 1', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bulkhead-handler-'));
  const file = join(folder, 'throwing.mjs');
  const names = ['handleElicitation', 'handleSampling', 'listRoots'];
  const callbacks = names.map((name) => `export const ${name} = () => { throw new Error("no"); };`);
  await writeFile(file, ['export const elicitationModes = ["form", "url"];', ...callbacks].join('\n'));
  const { code, out } = await runCli('demo', '--handler', file);
  assert.equal(code, 1, out);
  assert.match(out, /✗ 2025-11-25 over stdio/);
  assert.match(out, /callback: threw \(code -32603\)/);
  assert.match(out, /✗ desk \(stdio\): /);
  assert.match(out, /failed otherwise/);
  await rm(folder, { recursive: true });
});

test('a handler module that answers forms alone is asked for forms alone', async () => {
  const handler = fileURLToPath(new URL('../field/forms-only.js', import.meta.url));
  const { code, out } = await runCli('demo', '--handler', handler);
  assert.equal(code, 0, out);
  assert.match(out, /it answers +form\n/);
});

test('server packages that are missing are all named, with the command that installs them', () => {
  assert.throws(() => locateServers((name) => name === 'zod'), {
    kind: 'load',
    message: /npm install --save-dev @modelcontextprotocol\/server @modelcontextprotocol\/node .*server-everything$/,
  });
});
