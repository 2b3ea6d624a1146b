import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { run } from '../../src/cli/program.js';
import { recordingTerminal } from '../support/terminal.js';

const folder = mkdtempSync(join(tmpdir(), 'bench-command-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

async function bench(...args: string[]): Promise<{ exitCode: number; out: string; err: string }> {
  const terminal = recordingTerminal();
  const exitCode = await run(['bench', '--seconds', '0.05', ...args], terminal);
  return { exitCode, out: terminal.out.join('\n'), err: terminal.err.join('\n') };
}

const decliner = file('decliner.mjs', `export const handleElicitation = async (params) => ({ action: 'decline' });`);
const asker = file('asker.mjs', `export const handleSampling = async ({ messages }) => ({ seen: messages[0].content.text });`);

test('bench measures a handler in each tier, warm, cold and after a kill, and writes page and JSON', async () => {
  const out = join(folder, 'report');
  const ran = await bench('--handler', decliner, '--out', out);
  assert.equal(ran.exitCode, 0, ran.err);
  for (const tier of ['inline', 'thread', 'compartment', 'process']) assert.match(ran.out, new RegExp(`│ ${tier} +│`));
  const { sections } = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'));
  const [, thread] = sections[0].tables[0].rows;
  const [cold, killed] = thread.slice(-2);
  assert.ok(cold > 0 && killed > 0, JSON.stringify(thread));
  assert.match(readFileSync(join(out, 'index.html'), 'utf8'), /<svg /);
});

test("the user's own request is what the callback gets, and an answer that the guard would refuse is told", async () => {
  const request = file(
    'request.json',
    JSON.stringify({
      method: 'sampling/createMessage',
      params: { messages: [{ role: 'user', content: { type: 'text', text: 'mine' } }], maxTokens: 5 },
    }),
  );
  const { exitCode, out, err } = await bench('--handler', asker, '--request', request, '--tiers', 'inline', '--no-out');
  assert.equal(exitCode, 0, err);
  assert.match(out, /sampling\/createMessage/);
  assert.match(out, /the answer guard would refuse/);
});

test('a module that ends its process is met in a thread first: the measurement lives and says what happened', async () => {
  const leaving = file('leaving.mjs', 'export const listRoots = () => process.exit(4);');
  const hasty = file('hasty.mjs', 'process.exit(5);');
  for (const [handler, expected] of [
    [leaving, /the callback failed for roots\/list in tier thread: ExitError: the thread exited with code 4/],
    [hasty, /could not be loaded: the thread exited with code 5 while loading/],
  ] as const) {
    const { exitCode, err } = await bench('--handler', handler, '--tiers', 'inline,thread', '--no-out');
    assert.equal(exitCode, 1);
    assert.match(err, expected);
  }
});

test('a handler that cannot be a plugin, since it exports nothing by name, is measured in the other tiers', async () => {
  const whole = file('whole.cjs', 'module.exports = { listRoots: () => ({ roots: [] }) };');
  const { exitCode, out, err } = await bench('--handler', whole, '--tiers', 'thread,compartment', '--no-out');
  assert.equal(exitCode, 0, err);
  assert.match(out, /compartment was not measured: it cannot be a plugin: .*whole\.cjs: exports none of .* by name/);
});

test('what cannot be measured is said in one line', async () => {
  const broken = file('broken.mjs', `export const handleSampling = async () => { throw new RangeError('no luck'); };`);
  const strange = file('strange.json', `{ "method": "tools/call" }`);
  const rows: [string[], RegExp][] = [
    [['--handler', broken, '--tiers', 'inline'], /the callback failed .* RangeError: no luck/],
    [['--handler', join(folder, 'absent.mjs')], /absent\.mjs/],
    [['--handler', decliner, '--request', strange], /"method" must be one of/],
    [['--handler', decliner, '--tiers', 'inline,fast'], /There are inline, thread, compartment, process/],
    [[], /--handler/],
  ];
  for (const [args, expected] of rows) {
    const { exitCode, err } = await bench(...args, '--no-out');
    assert.notEqual(exitCode, 0);
    assert.match(err, expected);
  }
});
