/** Plugins through the whole runtime: manifest, grant, tier, wire. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { createBulkhead } from '../../src/bulkhead.js';
import { createScriptedServer } from '../../src/testing/index.js';
import { plugin } from './given.js';
import { buildExample, openPluginHost } from './host.js';

const internal = { code: -32603, message: 'The host could not answer this request' };
const grant = { services: { 'book.read': { where: { kind: ['home', 'work'] } } } };
const home = { name: 'Ada', email: 'ada@example.com', postcode: 'NW1 6XE' };
const book = (entry: unknown): { 'book.read': (data: unknown) => Promise<unknown> } => ({ 'book.read': async () => entry });
const fields = { name: { type: 'string' }, postcode: { type: 'string' } };
const asked = { message: 'Where do you live?', requestedSchema: { type: 'object', properties: fields, required: ['name'] } };

for (const isolation of ['compartment', 'process'] as const) {
  test(`an example with zod fills a form from one granted service, in the ${isolation} tier`, async (t) => {
    const options = { plugin: await buildExample(t, 'address-form'), grant, isolation };
    const { bulkhead, server } = await openPluginHost(t, { ...options, host: book(home) });
    assert.deepEqual(bulkhead.capabilities, { elicitation: { form: {} } });
    assert.equal(bulkhead.stats().isolation[0]?.tier, isolation);
    const { result } = await server.request('elicitation/create', asked);
    assert.deepEqual(result, { action: 'accept', content: { name: 'Ada', postcode: 'NW1 6XE' } });
  });
}

test('an example validates with zod what the host’s service says', async (t) => {
  const options = { plugin: await buildExample(t, 'address-form'), grant, isolation: 'compartment' as const };
  const { server } = await openPluginHost(t, { ...options, host: book({ ...home, email: 'nobody' }) });
  assert.deepEqual((await server.request('elicitation/create', asked)).result, { action: 'decline' });
});

test('an example asks a granted HTTP origin and nothing else', async (t) => {
  const weather = createServer((_, response) => response.end('{"place":"Kew","celsius":17.25}')).listen(0, '127.0.0.1');
  t.after(() => weather.close());
  await new Promise((resolve) => weather.once('listening', resolve));
  const origin = `http://127.0.0.1:${(weather.address() as AddressInfo).port}`;
  const path = await buildExample(t, 'weather');
  writeFileSync(path, readFileSync(path, 'utf8').replace('http://127.0.0.1:8787', origin));
  const options = { plugin: path, grant: { fetch: { origins: [origin] } }, isolation: 'compartment' as const };
  const ask = { messages: [{ role: 'user', content: { type: 'text', text: 'How warm?' } }], maxTokens: 10 };
  const sampling = { sampling: { allowIdle: true } };
  const granted = await openPluginHost(t, { ...options, ...sampling }, { assigns: { weather: origin } });
  const { result } = await granted.server.request('sampling/createMessage', ask);
  assert.deepEqual(result, {
    role: 'assistant',
    content: { type: 'text', text: 'In Kew it is 17.3 degrees.' },
    model: 'weather-1',
  });
  const elsewhere = await openPluginHost(t, { ...options, ...sampling }, { assigns: { weather: 'http://127.0.0.1:9' } });
  assert.deepEqual((await elsewhere.server.request('sampling/createMessage', ask)).error, internal);
  await assert.rejects(
    createBulkhead({ ...options, grant: { fetch: { origins: ['https://other.example'] } } }),
    /permissions\.fetch\.origins: wanted \["http:\/\/127\.0\.0\.1:\d+"\], granted \["https:\/\/other\.example"\]/,
  );
});

test('B18: the hostile example, in a process: every deed is one failed request, the next is answered, the host is whole', async (t) => {
  const options = { plugin: await buildExample(t, 'hostile') };
  const { bulkhead, server } = await openPluginHost(t, options);
  const crashes: string[] = [];
  bulkhead.on('crashed', ({ fault }) => crashes.push(fault.message));
  const deeds = ['read a secret', 'read a file', 'poison a prototype', 'loop for ever', 'grow a map', 'return too much'];
  for (const deed of deeds) {
    const hostile = await openDeed(deed);
    assert.deepEqual((await hostile.request('roots/list')).error, internal, deed);
  }
  assert.equal('admin' in {}, false);
  assert.ok(crashes.length <= 1, 'one event for the process that the map ended, if it was not ended before');
  assert.deepEqual((await server.request('roots/list')).result, { roots: [{ uri: 'file:///null' }] });

  async function openDeed(deed: string): Promise<typeof server> {
    const scripted = createScriptedServer({ era: 'legacy' });
    const client = new Client({ name: 'host', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    bulkhead.attach(scripted.transport as never, { serverId: deed, client: client as never, assigns: { deed } });
    await client.connect(scripted.transport as never);
    return scripted;
  }
});

test('a service’s argument rule holds in the main thread, whatever the plugin asks', async (t) => {
  const source = `exports.listRoots = async (context) => {
    const said = await context.host['secrets.read']({ name: context.assigns.name }).catch((error) => error.message);
    return { roots: [{ uri: 'file:///' + said }] } }`;
  const permissions = { services: { 'secrets.read': { where: { name: ['acme'] } } } };
  const path = plugin(t, { permissions }, source);
  const host = { 'secrets.read': async () => 'secret', unlock: async () => 'open' };
  for (const [name, expected] of [
    ['acme', 'secret'],
    ['root', "service%20%22secrets.read%22:%20the%20argument's%20%22name%22%20is%20not%20among%20the%20granted%20values"],
  ]) {
    const { server } = await openPluginHost(
      t,
      { plugin: path, grant: permissions, host, isolation: 'compartment' },
      { assigns: { name } },
    );
    assert.deepEqual((await server.request('roots/list')).result, { roots: [{ uri: `file:///${expected}` }] });
  }
});

test('B10: a connection may shorten the plugin’s deadline and never lengthen it', async (t) => {
  for (const [timeoutMs, handlerTimeout] of [
    [200, 60_000],
    [60_000, 200],
  ] as const) {
    const path = plugin(t, { limits: { timeoutMs } }, 'exports.listRoots = () => new Promise(() => {})');
    const { connection, server } = await openPluginHost(t, { plugin: path, isolation: 'compartment' }, { handlerTimeout });
    const records: unknown[] = [];
    connection.on('input', ({ outcome }) => records.push(outcome));
    assert.deepEqual((await server.request('roots/list')).error, internal);
    assert.deepEqual(records, ['killed']);
  }
});

test('the host gets a plugin’s stack, cut down to the plugin’s own frames; inside there is none', async (t) => {
  const source = `const fail = () => { throw new TypeError('no ' + (new Error('x').stack || 'stack')) };\nexports.listRoots = async () => {\n  fail() }`;
  const { connection, server } = await openPluginHost(t, { plugin: plugin(t, {}, source), isolation: 'compartment' });
  const stacks: (string | undefined)[] = [];
  connection.on('input', ({ fault }) => stacks.push(fault?.stack));
  await server.request('roots/list');
  const frames = ['TypeError: no stack', '  at fail (plugin:acme-roots:1:', '  at exports.listRoots (plugin:acme-roots:3:'];
  const lines = stacks[0]?.split('\n') ?? [];
  assert.equal(lines.length, 3, stacks[0]);
  for (const [at, frame] of frames.entries()) assert.ok(lines[at]?.startsWith(frame), lines[at]);
});

test('a plugin and a handler module exclude each other, and each stays in its tiers', async (t) => {
  const path = plugin(t);
  const wrong: [object, RegExp][] = [
    [{ plugin: path, handler: './h.js' }, /option "handler": expected nothing beside a plugin/],
    [{ grant: {} }, /option "grant": expected nothing without a plugin/],
    [{ pluginLock: 'x' }, /option "pluginLock": expected nothing without a plugin/],
    [{ handler: './h.js', isolation: 'process' }, /option "isolation": expected "inline" or "thread" for a handler module/],
    [{ plugin: 3 }, /option "plugin": expected a path or a file URL/],
    [{ plugin: path, pluginLock: 3 }, /option "pluginLock": expected a path or a file URL of a lock file/],
    [{ plugin: path, grant: { files: {} } }, /option "grant\.files"/],
  ];
  for (const [options, expected] of wrong) await assert.rejects(createBulkhead(options), expected);
  await assert.rejects(
    createBulkhead({ plugin: path, isolation: 'thread' }),
    /tiers: wanted to be a plugin, granted isolation "thread"/,
  );
});

test('a plugin whose text is broken is a load error that names it, in both tiers', async (t) => {
  const missing = plugin(t, { callbacks: ['listRoots', 'handleLog'] });
  const refused = plugin(t, {}, 'exports.listRoots = () => import("node:fs")');
  const spinning = plugin(t, {}, 'for (;;);');
  for (const isolation of ['compartment', 'process'] as const) {
    const load = (path: string) => createBulkhead({ plugin: path, isolation, loadTimeout: 3000 });
    await assert.rejects(
      load(missing),
      /plugin acme-roots could not be loaded: .*"handleLog" is declared in the manifest but not exported/,
    );
    await assert.rejects(
      load(refused),
      /plugin acme-roots could not be loaded: SyntaxError: Possible import expression rejected/,
    );
  }
  await assert.rejects(
    createBulkhead({ plugin: spinning, isolation: 'process', loadTimeout: 1000 }),
    /it did not load within 1000 ms/,
  );
});
