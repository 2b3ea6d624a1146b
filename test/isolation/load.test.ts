import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import { systemClock } from '../../src/clock.js';
import { isBulkheadError } from '../../src/errors.js';
import { createIsolation } from '../../src/isolation/create.js';
import type { Isolation } from '../../src/isolation/isolation.js';
import { defaultThreads } from '../../src/threads.js';
import { type Given, given, hearing, task } from './given.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bulkhead load ')));
after(() => rmSync(folder, { recursive: true, force: true }));

const esm = 'export const handleElicitation = async (params) => params;';
const cjs = 'exports.handleElicitation = async (params) => params;';

function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

async function refuses(handler: string, reason: RegExp, more: Given = {}): Promise<void> {
  await assert.rejects(given({ handler, ...more }), (error: unknown) => {
    assert.ok(isBulkheadError(error) && error.kind === 'load', String(error));
    assert.match(error.message, reason);
    return true;
  });
}

async function answers(isolation: Isolation): Promise<void> {
  const outcome = await isolation.run(task({ action: 'accept' })).outcome;
  assert.ok(outcome.type === 'returned', JSON.stringify(outcome));
  assert.deepEqual(outcome.value, { action: 'accept' });
}

async function loads(handler: string, more: Given = {}): Promise<void> {
  const { isolation } = await given({ handler, ...more, threads: { spares: 0, ...more.threads } });
  try {
    assert.deepEqual(isolation.description.callbacks, ['elicitation']);
    await answers(isolation);
  } finally {
    await isolation.close('kill');
  }
}

const modules: readonly [name: string, text: string][] = [
  ['plain.mjs', esm],
  ['plain.cjs', cjs],
  ['whole.cjs', 'const make = () => ({ handleElicitation: async (params) => params }); module.exports = make();'],
  ['plain.js', esm],
  ['with a space.mjs', esm],
  ['with#hash.mjs', esm],
  ['with%25percent.mjs', esm],
  ['ünïcode/❤.mjs', esm],
  ['default.mjs', 'export default { handleElicitation: async (params) => params };'],
];

for (const [name, text] of modules) {
  test(`case 121: ${name} loads, as a path and as a file URL`, async () => {
    const path = write(name, text);
    await loads(path);
    await loads(pathToFileURL(path).href);
  });
}

for (const tier of ['inline', 'thread'] as const) {
  const broken: readonly [name: string, text: string | undefined, reason: RegExp][] = [
    ['missing.mjs', undefined, /missing\.mjs" could not be loaded: there is no such file/],
    ['throws.mjs', 'throw new RangeError("bad start");', /throws\.mjs" could not be loaded: RangeError: bad start/],
    ['syntax.mjs', 'export const = 1;', /could not be loaded: SyntaxError/],
    ['imports.mjs', 'import "no-such-package-here";', /could not be loaded: .*no-such-package-here/],
    ['throwsNothing.mjs', 'throw undefined;', /could not be loaded: Thrown: undefined/],
    ['modes.mjs', 'export const elicitationModes = [];', /its export "elicitationModes" is empty/],
    ['unknownMode.mjs', 'export const elicitationModes = ["voice"];', /a mode other than/],
    ['twice.mjs', 'export const elicitationModes = ["form", "form"];', /a mode twice/],
    ['noFunction.mjs', 'export const listRoots = [];', /"listRoots" should be a function/],
  ];
  for (const [name, text, reason] of broken) {
    test(`B2, case 104: ${name} is a load error that names file and reason (${tier})`, async () => {
      await refuses(text === undefined ? join(folder, name) : write(name, text), reason, { tier });
    });
  }
}

const neverLoads: readonly [name: string, text: string, reason: RegExp][] = [
  ['exits.mjs', 'process.exit(3);', /the thread exited with code 3 while loading/],
  ['waits.mjs', 'await new Promise(() => {});', /did not load within 1500 ms/],
  ['rejects.mjs', `Promise.reject(new Error("left alone")); ${esm}`, /could not be loaded: Error: left alone/],
  ['spins.mjs', 'for (;;);', /did not load within 1500 ms/],
  [
    'posts.mjs',
    'import { parentPort } from "node:worker_threads"; parentPort.postMessage(1); await new Promise(() => {});',
    /messages/,
  ],
];
for (const [name, text, reason] of neverLoads) {
  test(`case 104: ${name} is a load error, and nobody waits for a pool that cannot start`, async () => {
    await refuses(write(name, text), reason, { loadTimeout: 1500 });
  });
}

test('case 104: what is no file, and a URL of no file, say so', async () => {
  await refuses(folder, /it is no file/);
  await refuses('file://other-host/x.mjs', /no URL of a local file/);
});

test('case 121: an ES module in a package of CommonJS names the remedy', async () => {
  write('package/package.json', '{ "type": "commonjs" }');
  const remedy = /it is an ES module, and the package\.json above it says CommonJS: set "type": "module" there, or name it \.mjs/;
  await refuses(write('package/exports.js', esm), remedy);
  await refuses(write('package/imports.js', `import 'node:fs';\n${esm}`), remedy);
});

test('case 104: a module that appears later loads then', async () => {
  const path = join(folder, 'later.mjs');
  await refuses(path, /no such file/);
  write('later.mjs', esm);
  await loads(path);
});

test('reload: the changed module answers, and a broken one leaves the old in place', async () => {
  const path = write('changes.mjs', 'export const handleElicitation = () => 1;');
  for (const tier of ['inline', 'thread'] as const) {
    write('changes.mjs', 'export const handleElicitation = () => 1;');
    const { isolation } = await given({ handler: path, tier });
    const value = async () => {
      const outcome = await isolation.run(task({})).outcome;
      return outcome.type === 'returned' ? outcome.value : outcome.type;
    };
    assert.equal(await value(), 1);
    write('changes.mjs', 'export const handleElicitation = () => 2; export const listRoots = () => ({ roots: [] });');
    assert.deepEqual((await isolation.reload()).callbacks, ['elicitation', 'roots']);
    assert.equal(await value(), 2, tier);
    write('changes.mjs', 'throw new Error("broken");');
    await assert.rejects(isolation.reload(), (error: unknown) => isBulkheadError(error) && error.kind === 'load');
    assert.equal(await value(), 2);
    unlinkSync(path);
    await assert.rejects(isolation.reload(), /no such file/);
    assert.equal(await value(), 2);
    assert.deepEqual(isolation.description.callbacks, ['elicitation', 'roots']);
    await isolation.close('kill');
  }
});

test('case 121: TypeScript loads where Node strips types, and names the remedy where it does not', async () => {
  const path = write('typed.ts', 'export const handleElicitation = async (params: unknown): Promise<unknown> => params;');
  if ((process.features as { typescript?: unknown }).typescript) await loads(path);
  else await refuses(path, /use Node 22\.18 or later, compile it, or give `threads\.execArgv: \['--import', 'tsx'\]`/);
});

test('case 121: a loader given through threads.execArgv reaches the workers', async () => {
  const hooks = `export async function load(url, context, next) {
    if (!url.endsWith('.words')) return next(url, context);
    return { format: 'module', shortCircuit: true, source: ${JSON.stringify(esm)} };
  }`;
  const hooksUrl = `data:text/javascript,${encodeURIComponent(hooks)}`;
  const loader = write('loader.mjs', `import { register } from "node:module"; register(${JSON.stringify(hooksUrl)});`);
  await loads(write('handler.words', 'no JavaScript at all'), {
    threads: { execArgv: ['--import', pathToFileURL(loader).href] },
  });
});

test('execArgv that the platform refuses is a load error', async () => {
  await refuses(write('fine.mjs', esm), /could not be loaded: .*--no-such-flag/, { threads: { execArgv: ['--no-such-flag'] } });
});

test('case 105: what fails late without end is reported a hundred times, and hurts nobody who waits on that thread', async () => {
  const lines = [
    'export const handleElicitation = (params) => {',
    '  const fails = () => { for (let late = 0; late < 40; late++) Promise.reject(new Error("late")); };',
    '  if (params.leaves) return void setInterval(fails, 1);',
    '  return new Promise((resolve) => setTimeout(resolve, 100, { action: "accept" }));',
    '};',
  ];
  const { isolation, stray } = await given({ handler: write('late.mjs', lines.join('\n')), threads: { spares: 0 } });
  try {
    assert.equal((await isolation.run(task({ leaves: true })).outcome).type, 'returned');
    await answers(isolation);
    assert.equal(stray.length, 101);
    assert.equal(stray.at(-1)?.fault.message, 'further late failures of this thread are left out');
  } finally {
    await isolation.close('kill');
  }
});

test('case 116: whatever writes a part of a buffer, or bytes that are no text, to a descriptor is told what it wrote', async () => {
  const lines = [
    'import fs from "node:fs";',
    'const bytes = Buffer.from("hidden said hidden");',
    'const streamed = (data) => new Promise((resolve, reject) => fs.createWriteStream("", { fd: 1, autoClose: false }).on("error", reject).end(data, resolve));',
    'export const handleElicitation = async () => {',
    '  const sizes = [fs.writeSync(1, bytes, 7, 4), fs.writeSync(1, bytes, { offset: 6, length: 5 }), fs.writevSync(1, [bytes.subarray(6, 7), Buffer.from([0xff])])];',
    '  fs.write(1, bytes, 7, 4, null, (_, size) => sizes.push(size));',
    '  await streamed(Buffer.from([0x0a, 0xff, 0xfe, 0x0a]));',
    '  return { action: "accept", content: { sizes } };',
    '};',
  ];
  const { isolation, output } = await given({ handler: write('parts.mjs', lines.join('\n')), threads: { spares: 0 } });
  try {
    const outcome = await isolation.run(task({})).outcome;
    assert.deepEqual(outcome.type === 'returned' && outcome.value, { action: 'accept', content: { sizes: [4, 5, 2, 4] } });
    assert.deepEqual(
      output.map(({ line }) => line),
      ['said said \ufffdsaid', '\ufffd\ufffd'],
    );
  } finally {
    await isolation.close('kill');
  }
});

test('case 117: a worker has no environment but what it is given', async () => {
  const path = write('env.mjs', 'export const handleElicitation = () => ({ ...process.env });');
  process.env.SECRET_X = 'secret';
  const { isolation } = await given({ handler: path, threads: { env: { LANGUAGE: 'de' } } });
  const outcome = await isolation.run(task({})).outcome;
  await isolation.close('kill');
  delete process.env.SECRET_X;
  assert.ok(outcome.type === 'returned');
  assert.deepEqual(outcome.value, { LANGUAGE: 'de' });
});

test('case 117: under threads.permission a callback reads its own folder and what was listed, and nothing else', async () => {
  const path = write(
    'inside/reads.mjs',
    `import { readFileSync, writeFileSync } from "node:fs";
     import { Worker } from "node:worker_threads";
     const attempt = (fn) => { try { fn(); return "yes"; } catch (error) { return error.code; } };
     export const handleElicitation = ({ own, listed, other }) => ({
       own: attempt(() => readFileSync(own)), listed: attempt(() => readFileSync(listed)), other: attempt(() => readFileSync(other)),
       writes: attempt(() => writeFileSync(own, "")), worker: attempt(() => new Worker("", { eval: true })),
     });`,
  );
  const paths = { own: write('inside/own.txt', 'x'), listed: write('listed/x.txt', 'x'), other: write('other/x.txt', 'x') };
  const { isolation } = await given({ handler: path, threads: { permission: { read: [join(folder, 'listed')] } } });
  const outcome = await isolation.run(task(paths)).outcome;
  await isolation.close('kill');
  assert.ok(outcome.type === 'returned', JSON.stringify(outcome));
  const denied = 'ERR_ACCESS_DENIED';
  assert.deepEqual(outcome.value, { own: 'yes', listed: 'yes', other: denied, writes: denied, worker: denied });
});

test('case 117: what the permission model keeps a module from reading is told with the remedy', async () => {
  write('beside/needed.mjs', 'export const all = 1;');
  const path = write('alone/h.mjs', `import '../beside/needed.mjs'; ${esm}`);
  await refuses(
    path,
    /Node's permission model does not let it read the module, or what that imports: .*threads\.permission\.read/,
    {
      threads: { permission: { read: [] } },
    },
  );
});

test('case 117: a folder whose name holds a "*" is refused under threads.permission, since its neighbours would be readable too', async () => {
  await refuses(write('st*r/h.mjs', esm), /cannot name the folder ".*st\*r": it would read the "\*" as any text/, {
    threads: { permission: { read: [] } },
  });
});

test('B20: nothing of ours is an ES module opened by `require` in a thread: Node 20 and 22 abort where a kill meets that', async () => {
  const path = write(
    'required.mjs',
    `import { createRequire } from 'node:module';
     export const handleElicitation = () => Object.keys(createRequire(import.meta.url).cache);`,
  );
  const { isolation } = await given({ handler: path });
  const outcome = await isolation.run(task({})).outcome;
  await isolation.close('kill');
  assert.ok(outcome.type === 'returned', JSON.stringify(outcome));
  const opened = (outcome.value as readonly string[]).filter((file) => !file.includes('/piscina/'));
  assert.deepEqual(
    opened.map((file) => file.split('/').at(-1)),
    ['pool.cjs'],
  );
});

test('what the host sees of a throw names the lines of the source, through its source map', async () => {
  const lines = ['interface Params { deep: number }', '', 'export const handleElicitation = (params: Params) => {'];
  const source = [...lines, '  throw new Error(String(params.deep));', '};'].join('\n');
  const { code } = await transform(source, { loader: 'ts', sourcemap: 'inline', sourcefile: 'original.ts' });
  const { isolation } = await given({ handler: write('mapped.mjs', code) });
  const outcome = await isolation.run(task({ deep: 1 })).outcome;
  await isolation.close('kill');
  assert.ok(outcome.type === 'crashed');
  assert.match(outcome.fault.stack ?? '', /original\.ts:4:9/);
});

test('no handler: nothing is described, nothing runs, no thread is started', async () => {
  const isolation = await createIsolation({
    ...{ tier: 'thread', handler: undefined, threads: defaultThreads, services: {} },
    ...{ events: hearing().events, clock: systemClock },
  });
  assert.deepEqual(isolation.description.callbacks, []);
  assert.equal((await isolation.run(task({})).outcome).type, 'crashed');
  assert.equal(isolation.stats().cells, 0);
  await isolation.close('kill');
});
