import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { BulkheadError } from '../../src/errors.js';
import { integrityOf } from '../../src/plugin/integrity.js';
import { pin, readLock } from '../../src/plugin/lock.js';
import { loadPlugin } from '../../src/plugin/plugin.js';
import { folder, manifestOf, plugin, source } from './given.js';

async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => assert.fail('it loaded'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof BulkheadError);
  assert.equal(error.kind, 'load');
  return error.message;
}

const integrity = manifestOf(source).source.integrity;
const hasPipes = process.platform !== 'win32';

test('a sound plugin is handed on as the very text that was hashed', async (t) => {
  const loaded = await loadPlugin(plugin(t));
  assert.equal(loaded.program.source, source);
  assert.equal(loaded.tier, 'process');
  assert.deepEqual(loaded.permissions, {});
  assert.deepEqual(loaded.program.callbacks, ['listRoots']);
});

const faults: [string, object, RegExp][] = [
  ['an unknown field', { sources: {} }, /: sources: expected no such field/],
  ['an unknown permission', { permissions: { files: {} } }, /: permissions\.files: expected no such field/],
  ['an unknown option of a permission', { permissions: { timers: { many: 3 } } }, /: permissions\.timers\.many: /],
  ['an unknown callback', { callbacks: ['handleAll'] }, /: callbacks\.0: expected one of "handleSampling"/],
  ['a repeated callback', { callbacks: ['listRoots', 'listRoots'] }, /: callbacks: /],
  ['an unknown tier', { tiers: ['thread'] }, /: tiers\.0: expected one of "compartment", "process", received "thread"/],
  ['a version of the manifest to come', { manifestVersion: 2 }, /: manifestVersion: expected 1, received 2/],
  ['an engine that we are not', { engine: '>=7' }, /: engine: expected >=7, received mcp-bulkhead /],
  [
    'an origin with a path',
    { permissions: { fetch: { origins: ['https://a.example/x'] } } },
    /: permissions\.fetch\.origins\.0: /,
  ],
  [
    'an origin spelled oddly',
    { permissions: { fetch: { origins: ['https://A.example:443'] } } },
    /expected https:\/\/a\.example,/,
  ],
  ['an origin of no web', { permissions: { fetch: { origins: ['data:x'] } } }, /: permissions\.fetch\.origins\.0: /],
  [
    'a permission both needed and optional',
    { permissions: { url: {} }, optionalPermissions: { url: {} } },
    /optionalPermissions\.url/,
  ],
  ['a service with a hostile name', { permissions: { services: JSON.parse('{"__proto__": {}}') } }, /: permissions\.services/],
];

for (const [what, changes, expected] of faults) {
  test(`the manifest is refused for ${what}, by field`, async (t) => {
    assert.match(await refusal(loadPlugin(plugin(t, changes))), expected);
  });
}

const entries: [string, string, RegExp][] = [
  ['absolute', '/etc/hosts', /: source\.entry: expected a relative path inside the manifest's folder/],
  ['climbing', '../plugin.cjs', /: source\.entry: expected a relative path/],
  ['climbing from within', 'dist/../../plugin.cjs', /: source\.entry: expected a relative path/],
  ['written with backslashes', 'dist\\..\\..\\plugin.cjs', /: source\.entry: expected a relative path/],
  ['on a drive', 'C:/plugin.cjs', /: source\.entry: expected a relative path/],
  ['missing', 'dist/none.cjs', /: source\.entry: expected a file that exists, received ENOENT/],
  ['a folder', 'dist', /: source\.entry: expected a (readable )?file/],
];

for (const [what, entry, expected] of entries) {
  test(`an entry that is ${what} is refused`, async (t) => {
    const changes = { source: { ...manifestOf(source).source, entry } };
    assert.match(await refusal(loadPlugin(plugin(t, changes))), expected);
  });
}

test('a symbolic link that leads out of the folder is refused, one that stays inside is followed', async (t) => {
  const path = plugin(t, { source: { ...manifestOf(source).source, entry: 'linked.cjs' } });
  const home = dirname(path);
  symlinkSync(join(home, 'dist/plugin.cjs'), join(home, 'linked.cjs'));
  assert.equal((await loadPlugin(path)).program.source, source);
  const out = plugin(t, { source: { ...manifestOf(source).source, entry: 'dist/out/plugin.cjs' } });
  const elsewhere = folder(t);
  writeFileSync(join(elsewhere, 'plugin.cjs'), source);
  symlinkSync(elsewhere, join(dirname(out), 'dist/out'));
  assert.match(await refusal(loadPlugin(out)), /: source\.entry: .* a link that leads out of it/);
});

test('tampered bytes are refused: another length, the same length, and a hash of something else', async (t) => {
  const longer = plugin(t);
  writeFileSync(join(dirname(longer), 'dist/plugin.cjs'), `${source}//`);
  assert.match(await refusal(loadPlugin(longer)), /: source\.bytes: expected \d+ bytes, received \d+/);
  const flipped = plugin(t);
  writeFileSync(join(dirname(flipped), 'dist/plugin.cjs'), source.replace('of', 'on'));
  assert.match(await refusal(loadPlugin(flipped)), /: source\.integrity: expected sha512-/);
  const other = { ...manifestOf(source).source, integrity: manifestOf('other').source.integrity };
  assert.match(await refusal(loadPlugin(plugin(t, { source: other }))), /: source\.integrity: expected sha512-/);
});

test('a pipe in the place of a file is refused, and nobody waits for a writer', { skip: !hasPipes }, async (t) => {
  const path = plugin(t);
  const entry = join(dirname(path), 'dist/plugin.cjs');
  for (const [file, expected] of [
    [entry, /: source\.entry: expected a file, received something else/],
    [path, /: manifest: expected a file, received something else/],
  ] as const) {
    unlinkSync(file);
    execFileSync('mkfifo', [file]);
    assert.match(await refusal(loadPlugin(path)), expected);
  }
});

test('bytes that are no UTF-8 are refused', async (t) => {
  const path = plugin(t);
  const bytes = Buffer.from([0x65, 0xff, 0x65]);
  writeFileSync(join(dirname(path), 'dist/plugin.cjs'), bytes);
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  manifest.source = { ...manifest.source, bytes: 3, integrity: integrityOf(bytes) };
  writeFileSync(path, JSON.stringify(manifest));
  assert.match(await refusal(loadPlugin(path)), /: source\.entry: expected UTF-8 text/);
});

test('a manifest that is missing, no JSON or enormous is refused', async (t) => {
  const home = folder(t);
  assert.match(await refusal(loadPlugin(join(home, 'none.json'))), /: manifest: expected a readable file, received ENOENT/);
  writeFileSync(join(home, 'text.json'), '{');
  assert.match(await refusal(loadPlugin(join(home, 'text.json'))), /: manifest: expected JSON/);
  writeFileSync(join(home, 'huge.json'), JSON.stringify({ x: 'y'.repeat(300_000) }));
  assert.match(await refusal(loadPlugin(join(home, 'huge.json'))), /: manifest: expected at most/);
});

test('a plugin runs in no tier below the host’s minimum, and never inline or in a plain thread', async (t) => {
  const modest = plugin(t, { tiers: ['compartment'] });
  assert.match(await refusal(loadPlugin(modest)), /: tiers: wanted compartment, granted "process" or above/);
  assert.equal((await loadPlugin(modest, { minimumTier: 'compartment' })).tier, 'compartment');
  for (const minimumTier of ['inline', 'thread'] as const)
    assert.match(await refusal(loadPlugin(modest, { minimumTier })), /: tiers: .* which contains no plugin/);
  assert.equal((await loadPlugin(plugin(t, { tiers: ['process'] }), { minimumTier: 'compartment' })).tier, 'process');
});

test('the lock file pins name, version and integrity', async (t) => {
  const path = plugin(t);
  const lock = join(folder(t), 'bulkhead.lock.json');
  assert.match(await refusal(loadPlugin(path, { lock })), /: lock: expected a readable lock file/);
  writeFileSync(lock, '{"lockVersion":1,"plugins":{}}');
  assert.match(await refusal(loadPlugin(path, { lock })), /: lock: wanted 1\.2\.0 sha512-.*, granted no entry of that name/);
  await pin(lock, manifestOf(source, { version: '1.1.0' }));
  assert.match(await refusal(loadPlugin(path, { lock })), /: lock\.version: wanted 1\.2\.0, granted 1\.1\.0/);
  await pin(lock, manifestOf('other'));
  assert.match(await refusal(loadPlugin(path, { lock })), /: lock\.integrity: wanted sha512-.*, granted sha512-/);
  await pin(lock, manifestOf(source));
  await pin(lock, manifestOf('another', { name: 'another' }));
  assert.equal((await loadPlugin(path, { lock })).manifest.name, 'acme-roots');
  assert.equal((await loadPlugin(path, { lock: pathToFileURL(lock).href })).manifest.name, 'acme-roots');
  assert.deepEqual(Object.keys((await readLock(lock)).plugins), ['acme-roots', 'another']);
  writeFileSync(lock, '{"plugins":3}');
  assert.match(await refusal(loadPlugin(path, { lock })), /: lock: expected \{ lockVersion: 1/);
});

test('a grant can be bound to a name and to bytes', async (t) => {
  assert.match(await refusal(loadPlugin(plugin(t), { grant: { name: 'other' } })), /: name: wanted acme-roots, granted other/);
  assert.match(await refusal(loadPlugin(plugin(t), { grant: { integrity: 'sha512-AA==' } })), /: source\.integrity: wanted/);
  assert.ok(await loadPlugin(plugin(t), { grant: { name: 'acme-roots', integrity } }));
});

test('a needed service that the host does not have turns the plugin away', async (t) => {
  const path = plugin(t, { permissions: { services: { 'secrets.read': {} } } });
  const grant = { services: { 'secrets.read': {} } };
  assert.match(await refusal(loadPlugin(path, { grant, services: ['ask'] })), /: permissions\.services\.secrets\.read: /);
  assert.ok(await loadPlugin(path, { grant, services: ['secrets.read'] }));
});

test('a manifest is found by URL, as an object or as text, as well as by path', async (t) => {
  const home = join(folder(t), 'with space');
  cpSync(dirname(plugin(t)), home, { recursive: true });
  const path = join(home, 'plugin.manifest.json');
  for (const where of [path, pathToFileURL(path), pathToFileURL(path).href])
    assert.equal((await loadPlugin(where)).manifest.version, '1.2.0');
});

test('the schema is published with the package, and is what is checked', async () => {
  const path = createRequire(import.meta.url).resolve('mcp-bulkhead/manifest.schema.json');
  const schema = JSON.parse(readFileSync(path, 'utf8')) as { properties: object };
  assert.ok(Object.keys(manifestOf(source)).every((field) => field in schema.properties));
});
