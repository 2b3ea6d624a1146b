/**
 * Turns a plugin's text into its exports, in a compartment of its own.
 *
 * The global names are passed as parameters of a wrapper: a free global of a compartment is looked up through a proxy, some
 * 150 times slower. The text sits in a function of its own inside, so that it may declare any of these names itself.
 */
import type { Compartment } from './realm.js';

/** Names that no compartment may have: a way around a limit, or a way to memory that no heap limit counts. */
const withheld = [
  'Compartment',
  'lockdown',
  'TextEncoder',
  'TextDecoder',
  'ArrayBuffer',
  'SharedArrayBuffer',
  'Atomics',
  'DataView',
  'Int8Array',
  'Int16Array',
  'Int32Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Uint16Array',
  'Uint32Array',
  'Float16Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
  'WebAssembly',
  'WeakRef',
  'FinalizationRegistry',
];

/** Before any endowment, and before any text is evaluated. */
export function withhold(globals: Record<string, unknown>): void {
  for (const name of withheld) {
    delete globals[name];
    if (name in globals) throw new Error(`the global "${name}" cannot be withheld: refusing to start a plugin`);
  }
}

const identifier = /^[A-Za-z_$][\w$]*$/;

/** `module.exports` after the text has run; `name` stands in stacks. Throws what the text throws. */
export function evaluate(compartment: Compartment, source: string, name: string): unknown {
  const globals = compartment.globalThis;
  const names = Object.getOwnPropertyNames(globals).filter((name) => identifier.test(name) && name !== 'eval');
  const text = source.startsWith('#!') ? `//${source}` : source;
  const wrapper = `(function(${names.join(',')}){return function(module,exports){${text}\n}})\n//# sourceURL=plugin:${name}`;
  const outer = compartment.evaluate(wrapper) as (...values: unknown[]) => (module: unknown, exports: unknown) => void;
  const inner = outer(...names.map((name) => globals[name]));
  const module = { exports: {} as unknown };
  inner(module, module.exports);
  return module.exports;
}
