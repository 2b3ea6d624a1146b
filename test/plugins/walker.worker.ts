/**
 * A thread that loads one plugin, everything granted, and lets it walk: over all it can name, read, call and construct, results of
 * calls included. It then compares what was reached with what belongs to the host, and posts the differences.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { types } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { Act, Context } from '../../src/contract/act.js';
import { createSwitchboard } from '../../src/contract/host.js';
import { type FromRunner, runnerLimits } from '../../src/contract/messages.js';
import type { Permissions } from '../../src/contract/plugin.js';
import { createProgram } from '../../workers/compartment/program.js';
import { openRealm } from '../../workers/compartment/realm.js';

export interface Walked {
  readonly reached: number;
  readonly calls: number;
  /** How each host object or byte array was reached. */
  readonly leaks: readonly string[];
  /** How the same rule judges objects that are known to be the host's. */
  readonly known: { readonly [name: string]: string | null };
}

const { origin } = workerData as { origin: string };
const permissions: Permissions = {
  ...{ console: {}, timers: {}, random: {}, clock: {}, url: {}, services: { echo: {} } },
  fetch: { origins: [origin], methods: ['GET', 'POST'] },
};

/** Runs inside: collects objects with the way that led to each. */
const walker = `
exports.listRoots = async (context) => {
  const ways = new Map();
  const queue = [];
  let calls = 0;
  const note = (value, way) => {
    if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return;
    if (ways.has(value) || ways.size > 20000) return;
    ways.set(value, way);
    queue.push(value);
  };
  const settle = (value) => Promise.race([value, new Promise((done) => setTimeout(done, 300))]);
  const attempt = async (way, work) => {
    calls++;
    try {
      const result = work();
      note(result, way + '()');
      if (result instanceof Promise) note(await settle(result), 'await ' + way + '()');
    } catch (error) { note(error, 'throw ' + way + '()') }
  };
  const args = [[], [1], ['x'], ['${origin}/'], [{}], [() => {}], [null], ['a', 'b'], [() => {}, 1]];
  const own = (way) => !/^(?:globalThis\\.)?(?:Object|Function|Reflect|Proxy|Promise|harden)\\b/.test(way);
  const look = async (value, way) => {
    note(Object.getPrototypeOf(value), way + '.__proto__');
    for (const key of Reflect.ownKeys(value)) {
      const step = way + '.' + String(key);
      const { get, set, value: held } = Object.getOwnPropertyDescriptor(value, key) ?? {};
      note(get, 'get ' + step); note(set, 'set ' + step); note(held, step);
      if (get !== undefined) await attempt('get ' + step, () => Reflect.get(value, key));
      if (typeof held === 'function' && own(way)) for (const list of args) await attempt(step, () => Reflect.apply(held, value, list));
    }
    if (typeof value === 'function') for (const list of args) {
      await attempt('new ' + way, () => Reflect.construct(value, list));
      if (own(way)) await attempt(way, () => value(...list));
    }
  };
  note(globalThis, 'globalThis'); note(module, 'module'); note(context, 'context');
  for (const name of ['echo', 'fails', 'none']) note(context.host[name], 'context.host.' + name);
  for (const make of [() => null.x, () => { throw new Error('x') }, function dive() { dive() }, () => fetch('x'), () => new URL('::')]) await attempt('provoked', make);
  for (let value = queue.shift(); value !== undefined; value = queue.shift()) await look(value, ways.get(value));
  return { ways, calls };
};`;

const byteNames = ['ArrayBuffer', 'SharedArrayBuffer', 'DataView', 'Buffer', 'Uint8Array', 'Int8Array', 'Uint8ClampedArray'];
const moreByteNames = ['Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'Float32Array', 'Float64Array', 'BigInt64Array'];
const host = globalThis as unknown as { readonly [name: string]: unknown };
const bytes = new Set<unknown>();
for (const name of [...byteNames, ...moreByteNames, 'BigUint64Array', 'TextEncoder', 'TextDecoder', 'WebAssembly']) {
  const made = host[name] as { prototype?: object } | undefined;
  for (const part of [made, made?.prototype, made?.prototype && Object.getPrototypeOf(made.prototype)]) bytes.add(part);
}
for (const shared of [undefined, Object.prototype, Function.prototype]) bytes.delete(shared);

const realm = openRealm({ source: readFileSync(createRequire(import.meta.url).resolve('ses'), 'utf8') });

/** Everything that hangs on these, by properties and prototypes alone. */
function hangingOn(...roots: unknown[]): Set<unknown> {
  const seen = new Set<unknown>();
  const open = [...roots];
  while (open.length > 0) {
    const value = open.pop();
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
    seen.add(value);
    open.push(Object.getPrototypeOf(value));
    for (const key of Reflect.ownKeys(value as object)) {
      const { get, set, value: held } = Object.getOwnPropertyDescriptor(value, key) ?? {};
      open.push(get, set, held);
    }
  }
  return seen;
}

/** What any bare compartment has: shared, frozen intrinsics. */
const allowed = hangingOn(realm.createCompartment().globalThis);
const ours = hangingOn(
  ...[globalThis, process, createRequire(import.meta.url), parentPort, workerData],
  ...[globalThis, process].flatMap((root) => Object.getOwnPropertyNames(root).map((name) => Reflect.get(root, name) as unknown)),
);

function contextFor(): Context {
  const switchboard = createSwitchboard(['echo', 'fails'], runnerLimits, (message: FromRunner) => {
    if (message.type !== 'call') return;
    const { call, name, json } = message;
    queueMicrotask(() =>
      switchboard.answer(
        name === 'echo' ? { type: 'answer', call, json } : { type: 'failed', call, name: 'RangeError', message: 'it fails' },
      ),
    );
  });
  const context = { client: 'c', serverId: 's', era: 'legacy', assigns: { a: [1] }, kind: 'roots', requestId: 1 };
  return new Context({ type: 'run', run: 1, context, state: { n: 1 } } as never, new Act(1, switchboard));
}

function judge(value: unknown): string | null {
  if (types.isAnyArrayBuffer(value) || ArrayBuffer.isView(value) || bytes.has(value)) return 'bytes';
  return ours.has(value) && !allowed.has(value) ? 'host' : null;
}

const program = { name: 'walker', source: walker, permissions, callbacks: ['listRoots'], maxResultBytes: 1000 } as const;
const module = createProgram(realm, program, () => {});
const context = contextFor();
const walk = module.listRoots as unknown as (context: Context) => Promise<{ ways: Map<unknown, string>; calls: number }>;
const { ways, calls } = await walk(context);
const leaks = [...ways].map(([value, way]) => [judge(value), way] as const).filter(([kind]) => kind !== null);
// A rule that knew nothing would find nothing in a sieve either.
const samples = { process, console, 'URL.prototype': URL.prototype, 'process.env': process.env, fetch, setTimeout };
const arrays = { buffer: Buffer.alloc(1), Uint8Array, memory: new ArrayBuffer(1), TextEncoder };
const known = Object.fromEntries(
  Object.entries({ ...samples, ...arrays, Map, list: [] }).map(([name, value]) => [name, judge(value)]),
);
parentPort?.postMessage({
  ...{ reached: ways.size, calls, known },
  leaks: leaks.map(([kind, way]) => `${kind}: ${way}`),
} satisfies Walked);
