import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { Permissions } from '../../src/contract/plugin.js';
import type { Call, Report, Said } from './realm.worker.js';

/** Runs `source` in a compartment; its `listRoots` is called for each call. */
function run(
  source: string,
  permissions: Permissions = {},
  calls: readonly Call[] = [{ name: 'listRoots', args: [] }],
): Promise<Report> {
  const program = { name: 'test', source, permissions, callbacks: ['listRoots'], maxResultBytes: 1000 };
  const worker = new Worker(new URL('./realm.worker.js', import.meta.url), { workerData: { program, calls }, env: {} });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
}

/** What `expression`, awaited inside a callback, gives. */
async function value(expression: string, permissions: Permissions = {}): Promise<unknown> {
  const { said } = await run(`exports.listRoots = async (context) => (${expression})`, permissions);
  const [first] = said as [Said];
  return 'value' in first ? first.value : first;
}

test('without permissions the compartment has no authority, no clock, no chance and no bytes', async () => {
  const names = [
    'process',
    'require',
    'console',
    'setTimeout',
    'fetch',
    'URL',
    'crypto',
    'performance',
    'structuredClone',
    'Compartment',
    'lockdown',
    'TextEncoder',
    'TextDecoder',
    'ArrayBuffer',
    'Uint8Array',
    'Float64Array',
    'DataView',
    'SharedArrayBuffer',
    'Atomics',
    'WebAssembly',
    'WeakRef',
    'queueMicrotask',
    'Intl',
  ];
  const found = await value(`[${names.map((name) => `typeof ${name}`).join(',')}].filter((type) => type !== 'undefined')`);
  assert.deepEqual(found, []);
  assert.match(JSON.stringify(await value('Date.now()')), /error/);
  assert.match(JSON.stringify(await value('Math.random()')), /error/);
});

test('console prints capped lines and survives whatever it is given', async () => {
  const hostile = `{ toJSON() { throw 1 } }, new Proxy({}, { get() { throw 2 } }), { toString: null }, Symbol('s'), 10n, undefined, new Error('e')`;
  const { lines } = await run(
    `exports.listRoots = () => { console.log('a', 1, { b: 2 }); console.error('x'.repeat(9000)); console.warn(${hostile}) }`,
    { console: {} },
  );
  assert.equal(lines[0], 'stdout: a 1 {"b":2}');
  assert.equal(lines[1]?.length, 'stderr: '.length + 4096);
  assert.equal(lines[2], 'stderr: [unprintable] [unprintable] {"toString":null} Symbol(s) 10 undefined Error: e');
});

test('timers are numbers, bounded, and end with the callback', async () => {
  assert.equal(
    await value(`new Promise((r) => { const id = setTimeout((x) => r(typeof id + x), 1, '!') })`, { timers: {} }),
    'number!',
  );
  assert.deepEqual(
    await value(`[setTimeout(() => {}, 9), setTimeout(() => {}, 9), setTimeout(() => {}, 9)]`, { timers: { max: 2 } }),
    { error: 'no more than 2 timers at once' },
  );
  const nested = `setTimeout(() => {}, { valueOf: () => setTimeout(() => {}, { valueOf: () => setTimeout(() => {}, 9) }) })`;
  assert.deepEqual(await value(nested, { timers: { max: 2 } }), { error: 'no more than 2 timers at once' });
  assert.deepEqual(await value(`setTimeout('code', 1)`, { timers: {} }), { error: 'a timer takes a function' });
  const leaving = `let fired = 0; let calls = 0; exports.listRoots = async () => {
    if (calls++ === 0) { setTimeout(() => { fired += 1 }, 5); setInterval(() => { fired += 1 }, 5); return 0 }
    await new Promise((done) => setTimeout(done, 30)); return fired }`;
  const { said } = await run(
    leaving,
    { timers: {} },
    Array.from({ length: 2 }, () => ({ name: 'listRoots', args: [] })),
  );
  assert.deepEqual(said, [{ value: 0 }, { value: 0 }]);
  assert.deepEqual((await run('setTimeout(() => {}, 1); exports.listRoots = () => 1', { timers: {} })).said, [
    { error: 'load: a timer exists only while a callback runs' },
  ]);
});

test('timers end with the callback, whatever class its promise says the next one is of', async () => {
  const lying = `let fired = 0; let calls = 0; exports.listRoots = () => {
    if (calls++ > 0) return new Promise((done) => setTimeout(() => done(fired), 30));
    setInterval(() => { fired += 1 }, 1);
    const said = Promise.resolve('true');
    const Liar = function (executor) { executor(() => {}, () => {}); return 'false' };
    let looks = 0;
    return Object.defineProperty(said, 'constructor', { get: () => (looks++ === 0 ? Promise : { [Symbol.species]: Liar }) });
  }`;
  const call = { name: 'listRoots', args: [] };
  assert.deepEqual((await run(lying, { timers: {} }, [call, call])).said, [{ value: 'true' }, { value: 0 }]);
});

test('clock, random and url give what they say', async () => {
  const dates = await value(
    '[typeof Date.now(), new Date().getFullYear() > 2000, typeof Date(), new Date(0).toISOString(), new Date() instanceof Date, Date.UTC(1970, 0, 2)]',
    { clock: {} },
  );
  assert.deepEqual(dates, ['number', true, 'string', '1970-01-01T00:00:00.000Z', true, 86_400_000]);
  assert.deepEqual(await value('[Math.random() < 1, Math.max(1, 2), crypto.randomUUID().length]', { random: {} }), [true, 2, 36]);
  const address = `new URL('/a?b=1&b=2#c', 'https://user@x.example:8443')`;
  assert.deepEqual(
    await value(
      `[${address}.href, ${address}.host, ${address}.searchParams.getAll('b'), String(${address}), JSON.stringify(${address}), URL.canParse('::'), Object.keys(${address})]`,
      { url: {} },
    ),
    [
      'https://user@x.example:8443/a?b=1&b=2#c',
      'x.example:8443',
      ['1', '2'],
      'https://user@x.example:8443/a?b=1&b=2#c',
      '"https://user@x.example:8443/a?b=1&b=2#c"',
      false,
      [],
    ],
  );
  assert.deepEqual(await value(`new URL('::')`, { url: {} }), { error: 'Invalid URL' });
});

test('a service is a frozen closure; an abort controller needs no permission', async () => {
  assert.deepEqual(
    await value(`[await context.host.echo(1), Object.isFrozen(context.host.echo), context.host.then === undefined]`),
    [{ echo: 1 }, true, true],
  );
  assert.deepEqual(await value(`context.host.fail()`), { error: 'no' });
  const heard = `(() => { const c = new AbortController(); const seen = []; c.signal.addEventListener('abort', (e) => seen.push(e.type));
    c.abort('enough'); c.abort(); return [c.signal.aborted, c.signal.reason.message, seen, Object.isFrozen(c.signal)] })()`;
  assert.deepEqual(await value(heard), [true, 'enough', ['abort'], true]);
});

test('the context is frozen plain data with shells around what is live', async () => {
  assert.deepEqual(
    await value(
      `[context.serverId, context.assigns.a, context.signal.aborted, Object.isFrozen(context), Object.isFrozen(context.assigns)]`,
    ),
    ['files', 1, false, true, true],
  );
  assert.deepEqual(await value(`(context.state.set({ count: context.state.get().count + 1 }), context.state.get())`), {
    count: 2,
  });
});

test('a byte array among the arguments is refused before the plugin sees it', async () => {
  const { said } = await run('exports.listRoots = () => 1', {}, [{ name: 'listRoots', args: [{ a: [new Uint8Array(1)] }] }]);
  assert.deepEqual(said, [{ error: 'a callback’s argument is no plain data' }]);
});

test('each server has its own instance of the plugin', async () => {
  const calls = ['a', 'a', 'b', 'a'].map((serverId) => ({ name: 'listRoots', args: [], serverId }));
  const { said } = await run('let n = 0; exports.listRoots = () => ++n', {}, calls);
  assert.deepEqual(said, [{ value: 1 }, { value: 2 }, { value: 1 }, { value: 3 }]);
});

test('a plugin may declare names of globals itself, start with a shebang and end in a comment', async () => {
  const { said } = await run(
    `#!/usr/bin/env node\nconst Map = 1; class Promise {}; let undefined_ = void 0; exports.listRoots = () => [Map, typeof Promise, typeof module] // end`,
  );
  assert.deepEqual(said, [{ value: [1, 'function', 'object'] }]);
});

const broken: [string, string, RegExp][] = [
  ['throws', 'throw new Error("at load")', /^load: at load$/],
  [
    'lacks a declared callback',
    'exports.other = () => 1',
    /^load: callbacks: "listRoots" is declared in the manifest but not exported/,
  ],
  ['exports something else under its name', 'exports.listRoots = 3', /^load: callbacks: "listRoots"/],
  ['exports nothing at all', 'module.exports = null', /^load: callbacks: "listRoots"/],
  [
    'holds what hardened JavaScript rejects',
    'exports.listRoots = () => import("node:fs")',
    /^load: Possible import expression rejected/,
  ],
];
for (const [what, source, expected] of broken) {
  test(`a plugin that ${what} does not load`, async () => {
    const { said } = await run(source);
    assert.match((said[0] as { error: string }).error, expected);
  });
}

test('fetch asks granted origins with granted methods, follows no redirect, and answers in text', async (t) => {
  const server = createServer((request, response) => {
    if (request.url === '/redirect') response.writeHead(302, { location: 'http://127.0.0.1:1/' });
    if (request.url === '/big') response.write('x'.repeat(5000));
    response.end(JSON.stringify({ method: request.method, url: request.url }));
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const permissions = { fetch: { origins: [origin], methods: ['GET', 'POST'], maxResponseBytes: 4096 } };
  const ask = (expression: string): Promise<unknown> => value(expression.replaceAll('ORIGIN', origin), permissions);
  assert.deepEqual(
    await ask(
      `fetch('ORIGIN/a?b').then(async (r) => [r.status, r.ok, r.headers.get('Content-Length'), await r.json(), (await r.text()).length])`,
    ),
    [200, true, '29', { method: 'GET', url: '/a?b' }, 29],
  );
  assert.deepEqual(await ask(`fetch('ORIGIN/x', { method: 'post', body: 'b' }).then((r) => r.json())`), {
    method: 'POST',
    url: '/x',
  });
  const refused: [string, string][] = [
    [`fetch('ORIGIN/redirect')`, 'fetch: a redirect is refused'],
    [`fetch('ORIGIN/big')`, 'fetch: the answer is too large'],
    [`fetch('ORIGIN/', { method: 'DELETE' })`, 'fetch: this method is not granted'],
    [`fetch('ORIGIN/', { headers: { Host: 'other' } })`, 'fetch: this header is not for a plugin to set'],
    [`fetch('ORIGIN/'.replace('//', '//u:p@'))`, 'fetch: an address with a user name is refused'],
    [`fetch('http://127.0.0.1:1/')`, 'fetch: this origin is not granted'],
    [`fetch('data:text/plain,x')`, 'fetch: this origin is not granted'],
    [`fetch('file:///etc/hosts')`, 'fetch: this origin is not granted'],
    [`fetch('nowhere')`, 'fetch: this is no address'],
    [`fetch('ORIGIN/', { method: 'POST', body: { a: 1 } })`, 'fetch: a body is a string of at most 1048576 characters'],
  ];
  for (const [expression, error] of refused) assert.deepEqual(await ask(expression), { error }, expression);
  const flipping = `fetch({ n: 0, toString() { return this.n++ === 0 ? 'ORIGIN/one' : 'http://127.0.0.1:1/' } }).then((r) => r.json())`;
  assert.deepEqual(await ask(flipping), { method: 'GET', url: '/one' });
});
