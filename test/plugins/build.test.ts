import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { run } from '../../src/cli/program.js';
import { packPlugin } from '../../src/plugin/archive.js';
import { buildPlugin } from '../../src/plugin/build.js';
import { censor } from '../../src/plugin/censor.js';
import { needsOf } from '../../src/plugin/needs.js';
import { loadPlugin } from '../../src/plugin/plugin.js';
import { recordingTerminal } from '../support/terminal.js';
import { folder, plugin } from './given.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

test('an ES module with npm dependencies becomes one text and a complete manifest, and loads', async (t) => {
  const home = join(root, 'examples/plugins/address-form');
  const out = folder(t);
  const built = await buildPlugin({ entry: join(home, 'plugin.ts'), manifest: join(home, 'plugin.manifest.json'), out });
  assert.ok(built.ok);
  assert.equal(built.begun, false);
  assert.deepEqual(built.needs.services, ['book.read']);
  const loaded = await loadPlugin(built.path, { grant: { services: { 'book.read': { where: { kind: ['home'] } } } } });
  assert.equal(loaded.program.source.includes('import '), false);
  const map = JSON.parse(readFileSync(join(out, 'plugin.cjs.map'), 'utf8')) as { sources: string[] };
  assert.ok(
    map.sources.some((path) => path.endsWith('address-form/plugin.ts') || path === 'plugin.ts'),
    'for the author, beside it',
  );
  assert.deepEqual(loaded.permissions, { services: { 'book.read': { where: { kind: ['home'] } } } });
});

test('without a manifest one is begun that asks for nothing', async (t) => {
  const home = folder(t);
  mkdirSync(join(home, 'src'));
  writeFileSync(join(home, 'package.json'), '{"name":"@acme/my-plugin","version":"2.1.0"}');
  writeFileSync(join(home, 'main.mjs'), 'export const listRoots = () => ({ roots: [] });\nexport const other = 1;\n');
  const manifest = join(home, 'src/plugin.manifest.json');
  const built = await buildPlugin({ entry: join(home, 'main.mjs'), manifest, out: join(home, 'dist') });
  assert.ok(built.ok && built.begun);
  const begun = JSON.parse(readFileSync(manifest, 'utf8'));
  assert.deepEqual(
    [begun.name, begun.version, begun.callbacks, begun.permissions, begun.source],
    ['acme-my-plugin', '2.1.0', ['listRoots'], {}, undefined],
  );
  assert.equal((await loadPlugin(built.path)).manifest.name, 'acme-my-plugin');
});

test('what the compartment would refuse is refused at build time, with the file and line that the author wrote', async (t) => {
  const home = folder(t);
  mkdirSync(join(home, 'src'));
  writeFileSync(
    join(home, 'src/words.mjs'),
    '// a comment may say import() or eval()\nexport const help =\n  `call import("x") yourself`;\n',
  );
  writeFileSync(
    join(home, 'src/main.mjs'),
    'import { help } from "./words.mjs";\nexport function listRoots() {\n  return { roots: [{ uri: help }] };\n}\n',
  );
  const terminal = recordingTerminal();
  const args = ['plugin', 'build', join(home, 'src/main.mjs'), '--manifest', join(home, 'plugin.manifest.json'), '--out', home];
  assert.equal(await run(args, terminal), 1);
  assert.equal(terminal.err.length, 1);
  assert.match(terminal.err[0] as string, /src\/words\.mjs:3:\d+: "import\(" is refused, in strings and comments too/);
});

test('libraries that ask for process.env.NODE_ENV get an answer', async (t) => {
  const home = folder(t);
  const text = 'export const listRoots = () => ({ roots: [], mode: process.env.NODE_ENV });';
  writeFileSync(join(home, 'main.mjs'), text);
  const built = await buildPlugin({ entry: join(home, 'main.mjs'), manifest: join(home, 'm.json'), out: home });
  assert.ok(built.ok);
  assert.deepEqual(built.needs.absent, []);
  assert.match(readFileSync(join(home, 'plugin.cjs'), 'utf8'), /mode:"production"/);
});

test('a module that exports no callback by name is told so, before any manifest is begun', async (t) => {
  const home = folder(t);
  for (const [name, text] of [
    ['whole.cjs', 'exports.listRoots = () => ({ roots: [] });'],
    ['default.mjs', 'export default { listRoots: () => ({ roots: [] }) };'],
    ['other.mjs', 'export const listRotos = () => ({ roots: [] });'],
  ] as const) {
    writeFileSync(join(home, name), text);
    const terminal = recordingTerminal();
    const manifest = join(home, 'm.json');
    assert.equal(await run(['plugin', 'build', join(home, name), '--manifest', manifest, '--out', home], terminal), 1);
    assert.match(
      terminal.err.join('\n'),
      new RegExp(`${name}: exports none of handleSampling, .* by name, as an ES module does$`),
    );
    assert.equal(existsSync(manifest), false);
  }
});

test('an import of a Node module is an error with its place', async (t) => {
  const home = folder(t);
  writeFileSync(join(home, 'main.mjs'), '\nimport fs from "node:fs";\nexport const listRoots = () => fs;\n');
  const built = await buildPlugin({ entry: join(home, 'main.mjs'), manifest: join(home, 'm.json'), out: home });
  assert.ok(!built.ok);
  const [complaint] = built.complaints;
  assert.deepEqual([resolve(complaint?.file ?? ''), complaint?.line], [join(home, 'main.mjs'), 2]);
  assert.match(complaint?.reason ?? '', /node:fs/);
});

const censored: [string, number | null][] = [
  ['a = import("x")', 4],
  ['import/**/("x")', 0],
  ['...import("x")', 3],
  ['"eval(1)"', 1],
  ['a <!-- b', 2],
  ['while (i-->0);', 8],
  ['a.import("x")', null],
  ['a.eval("x")', null],
  ['important(1)', null],
  ['/import\\(/', null],
  ['import x from "y"', null],
];
for (const [text, index] of censored) {
  test(`the censor ${index === null ? 'lets pass' : 'refuses'} ${text}`, () => {
    assert.deepEqual(
      censor(text).map((found) => found.index),
      index === null ? [] : [index],
    );
  });
}

test('needs are guessed from the names in a bundle', () => {
  const needs = needsOf(
    'setTimeout(f,1);console.log(Date.now());fetch("https://api.example.com/x");c.host.ask({});c.host["secrets.read"](1);process.exit();a.fetch(1)',
  );
  assert.deepEqual(needs.permissions, ['console', 'timers', 'clock', 'fetch', 'services']);
  assert.deepEqual(
    [needs.services, needs.origins, needs.absent],
    [['ask', 'secrets.read'], ['https://api.example.com'], ['process']],
  );
  assert.deepEqual(needsOf('exports.a=1').permissions, []);
});

test('the same plugin packs to the same bytes, and only a sound one packs', async (t) => {
  const path = plugin(t);
  const [one, two] = [folder(t), folder(t)];
  const packed = await packPlugin(path, one);
  assert.equal(packed.integrity, (await packPlugin(path, two)).integrity);
  assert.deepEqual(readFileSync(packed.path), readFileSync(join(two, 'acme-roots-1.2.0.tgz')));
  await assert.rejects(
    packPlugin(plugin(t, { source: { entry: 'dist/plugin.cjs', integrity: 'sha512-AA==', bytes: 5, format: 'cjs' } }), one),
    /source\.bytes/,
  );
});

test('an archive holds manifest and entry, as any tar reads it', async (t) => {
  const home = folder(t);
  const packed = await packPlugin(plugin(t), home);
  execFileSync('tar', ['xzf', packed.path, '-C', home]);
  const loaded = await loadPlugin(join(home, 'package/plugin.manifest.json'));
  assert.equal(loaded.manifest.name, 'acme-roots');
});

test('the command line builds and packs, and says what it did', async (t) => {
  const home = folder(t);
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'));
  writeFileSync(join(home, 'main.ts'), 'export const listRoots = (): object => { console.log(1); return { roots: [] } };\n');
  const terminal = recordingTerminal();
  const at = (name: string): string => join(home, name);
  assert.equal(await run(['plugin', 'build', at('main.ts'), '--manifest', at('m.json'), '--out', at('out')], terminal), 0);
  assert.match(
    terminal.out.join('\n'),
    /began .*m\.json: look at it, it asks for nothing yet\nbuilt plugin 0\.0\.0: \d+ bytes, sha512-/,
  );
  assert.match(terminal.out.join('\n'), /seems to need console: not asked for in the manifest/);
  assert.equal(await run(['plugin', 'pack', at('out/plugin.manifest.json'), '--out', home], terminal), 0);
  assert.match(terminal.out.at(-1) as string, /^packed .*plugin-0\.0\.0\.tgz: \d+ bytes, sha512-/);
});

test('check loads a plugin in its tier and reports what it has; --pin writes the lock, --lock holds it to that', async (t) => {
  const optionalPermissions = { random: {}, fetch: { origins: ['https://a.example'] } };
  const path = plugin(t, { permissions: { clock: {}, timers: { max: 2 } }, optionalPermissions });
  const lock = join(folder(t), 'lock.json');
  const grant = join(folder(t), 'grant.json');
  writeFileSync(grant, JSON.stringify({ clock: true, timers: true, random: true }));
  const terminal = recordingTerminal();
  const check = (...more: string[]): Promise<number> =>
    run(['plugin', 'check', path, '--tier', 'compartment', ...more], terminal);
  assert.equal(await check('--grant', grant, '--lock', lock, '--pin'), 0);
  assert.match(terminal.out[0] as string, /^acme-roots 1\.2\.0: \d+ bytes, intact, sha512-/);
  assert.match(terminal.out[1] as string, /^tier: compartment \(it can run in: process, compartment\), loaded in \d+ ms$/);
  assert.deepEqual(terminal.out.slice(2), [
    'callbacks: listRoots',
    'has: random, timers {"max":2}, clock',
    'would like, and does not get: fetch',
    "limits: 256 MiB, the host's deadline, 1048576 bytes a result",
    `pinned in ${lock}`,
  ]);
  assert.equal(await check('--lock', lock), 0);
  assert.equal(terminal.out.at(-1), `as pinned in ${lock}`);
  writeFileSync(lock, '{"lockVersion":1,"plugins":{}}');
  assert.equal(await check('--lock', lock), 1);
  assert.match(terminal.err.at(-1) as string, /plugin acme-roots: lock: wanted 1\.2\.0 .*, granted no entry of that name/);
  assert.equal(await check('--pin'), 2);
  assert.match(terminal.err[1] as string, /--pin wants a --lock file/);
  writeFileSync(grant, '{}');
  assert.equal(await check('--grant', grant), 1);
  assert.match(terminal.err.at(-1) as string, /permissions\.timers: wanted \{"max":2\}, granted nothing/);
});

test('a file that is missing or no JSON is named by the command that reads it', async (t) => {
  const home = folder(t);
  const terminal = recordingTerminal();
  const at = (name: string): string => join(home, name);
  writeFileSync(at('bad.json'), '{ name');
  writeFileSync(at('main.mjs'), 'export const listRoots = () => ({ roots: [] });\n');
  const fails = async (args: readonly string[], line: RegExp): Promise<void> => {
    assert.equal(await run(['plugin', ...args], terminal), 1);
    assert.match(terminal.err.at(-1) as string, line);
  };
  await fails(
    ['build', at('nothing.ts'), '--manifest', at('m.json'), '--out', at('out')],
    /^the entry: Could not resolve ".*nothing\.ts"$/,
  );
  await fails(['build', at('main.mjs'), '--manifest', at('bad.json'), '--out', at('out')], /bad\.json: .*JSON/);
  await fails(['check', plugin(t), '--grant', at('bad.json')], /--grant .*bad\.json: .*JSON/);
  await fails(['check', plugin(t), '--grant', at('none.json')], /--grant .*none\.json: ENOENT/);
});
