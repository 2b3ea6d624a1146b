import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import type { Permissions, PluginLimits } from '../../src/contract/plugin.js';
import { effectivePermissions } from '../../src/plugin/effective.js';
import { satisfies } from '../../src/plugin/engine.js';
import { type PluginGrant, resolveGrant } from '../../src/plugin/grant.js';
import { loadPlugin } from '../../src/plugin/plugin.js';
import { restrictServices } from '../../src/plugin/services.js';
import { manifestOf, plugin, source } from './given.js';

const origins = ['https://a.example', 'https://b.example'];

async function effective(wanted: { needed?: Permissions; optional?: Permissions }, grant: PluginGrant): Promise<Permissions> {
  const { needed = {}, optional = {} } = wanted;
  const { permissions } = await resolveGrant(grant);
  return effectivePermissions(manifestOf(source, { permissions: needed, optionalPermissions: optional }), permissions);
}

test('what is not wanted or not granted is not there', async () => {
  assert.deepEqual(await effective({}, { console: true, clock: true, fetch: { origins } }), {});
  assert.deepEqual(await effective({ optional: { console: {}, fetch: { origins }, services: { ask: {} } } }, {}), {});
  assert.deepEqual(await effective({ needed: { console: {}, clock: {} } }, { console: true, clock: {}, url: true }), {
    console: {},
    clock: {},
  });
});

const refused: [string, Permissions, PluginGrant, RegExp][] = [
  ['a permission', { console: {} }, {}, /: permissions\.console: wanted \{\}, granted nothing/],
  [
    'an origin',
    { fetch: { origins } },
    { fetch: { origins: [origins[0] as string] } },
    /: permissions\.fetch\.origins: wanted \["https:\/\/b\.example"\], granted \["https:\/\/a\.example"\]/,
  ],
  [
    'a method',
    { fetch: { origins, methods: ['GET', 'POST'] } },
    { fetch: { origins } },
    /: permissions\.fetch\.methods: wanted \["POST"\], granted \["GET"\]/,
  ],
  [
    'a service',
    { services: { ask: {} } },
    { services: { other: {} } },
    /: permissions\.services\.ask: wanted \{\}, granted nothing/,
  ],
  [
    'a value of an argument',
    { services: { ask: { where: { name: ['a', 'b'] } } } },
    { services: { ask: { where: { name: ['a'] } } } },
    /: permissions\.services\.ask\.where\.name: wanted \["b"\], granted \["a"\]/,
  ],
  [
    'any value where some are granted',
    { services: { ask: {} } },
    { services: { ask: { where: { name: ['a'] } } } },
    /: permissions\.services\.ask\.where\.name: wanted any value, granted \["a"\]/,
  ],
];

for (const [what, needed, grant, expected] of refused) {
  test(`a needed permission that lacks ${what} turns the plugin away, naming field, wanted and granted`, async () => {
    await assert.rejects(effective({ needed }, grant), expected);
  });
}

test('an optional permission shrinks to what both name', async () => {
  const grant: PluginGrant = { fetch: { origins: ['https://B.example:443'] }, services: { ask: { where: { name: ['a'] } } } };
  const optional: Permissions = {
    fetch: { origins, maxResponseBytes: 5 },
    services: { ask: { where: { name: ['a', 'b'], kind: [1] } }, other: {} },
  };
  assert.deepEqual(await effective({ optional }, grant), {
    fetch: { origins: ['https://b.example'], methods: ['GET'], maxResponseBytes: 5 },
    services: { ask: { where: { name: ['a'], kind: [1] } } },
  });
  assert.deepEqual(await effective({ optional }, { services: { ask: { where: { name: ['c'] } } } }), {});
});

test('bounds never deny: the lesser counts', async () => {
  assert.deepEqual(await effective({ needed: { timers: { max: 16 } } }, { timers: { max: 4 } }), { timers: { max: 4 } });
  assert.deepEqual(await effective({ needed: { timers: {} } }, { timers: true }), { timers: { max: 64 } });
});

test('limits are the lesser of manifest and host', async (t) => {
  const limits: PluginLimits = { maxMemoryMb: 64, timeoutMs: 5000 };
  const loaded = await loadPlugin(plugin(t, { limits }), { grant: { limits: { maxMemoryMb: 512, timeoutMs: 100 } } });
  assert.deepEqual(loaded.limits, { maxMemoryMb: 64, timeoutMs: 100, maxResultBytes: 2 ** 20 });
});

const wrongGrants: [unknown, RegExp][] = [
  [3, /option "grant": expected a plain object of permissions, received 3/],
  [new Map([['console', true]]), /option "grant": expected a plain object of permissions, received an object of class Map/],
  [{ files: {} }, /option "grant\.files"/],
  [{ fetch: true }, /option "grant\.fetch"/],
  [{ services: true }, /option "grant\.services"/],
  [{ services: { 'a.b': true } }, /option "grant\.services\.a\.b": expected a value of type object, received true/],
  [{ fetch: { origins: ['ftp://a'] } }, /option "grant\.fetch\.origins\.0"/],
  [{ limits: { maxMemoryMb: 1 } }, /option "grant\.limits\.maxMemoryMb"/],
  [{ name: 5 }, /option "grant\.name"/],
];

for (const [grant, expected] of wrongGrants) {
  test(`a grant such as ${JSON.stringify(grant)} is an options error that names the field`, async () => {
    await assert.rejects(resolveGrant(grant as PluginGrant), (error: Error & { kind?: string }) => {
      assert.equal(error.kind, 'options');
      assert.match(error.message, expected);
      return true;
    });
  });
}

test('a process that may not compile from strings hears that plugins need it', () => {
  const grant = JSON.stringify(new URL('../../src/plugin/grant.js', import.meta.url).href);
  const program = `import { resolveGrant } from ${grant}; await resolveGrant({}).catch((error) => console.log(error.kind, error.message))`;
  const flags = ['--disallow-code-generation-from-strings', '--input-type=module', '-e', program];
  const { stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
  assert.match(stdout, /^load plugins need code generation/);
  assert.equal(stderr, '');
});

const ranges: [string, string, boolean][] = [
  ['0.1.0', '>=0.1 <1', true],
  ['1.0.0', '>=0.1 <1', false],
  ['0.0.9', '>=0.1 <1', false],
  ['0.1.0-beta.1', '>=0.1', true],
  ['2.3.4', '=2.3.4', true],
  ['2.3.5', '2.3.4', false],
  ['2.3.5', '>2.3.4 <=2.3.5', true],
];

for (const [version, range, expected] of ranges) {
  test(`engine ${range} ${expected ? 'includes' : 'excludes'} ${version}`, () => {
    assert.equal(satisfies(version, range), expected);
  });
}

test('services are those granted, each behind its argument rule, inherited and absent fields refused', async () => {
  const host = { read: async (data: unknown) => data, write: async () => 1 };
  const services = restrictServices(host, { services: { read: { where: { name: ['acme'] } }, none: {} } });
  assert.deepEqual(Object.keys(services), ['read']);
  assert.deepEqual(await services.read?.({ name: 'acme', more: 1 }), { name: 'acme', more: 1 });
  for (const data of [{ name: 'other' }, {}, null, 'acme', ['acme'], Object.create({ name: 'acme' }), { name: ['acme'] }])
    assert.throws(() => services.read?.(data), /"name" is not among the granted values/);
});
