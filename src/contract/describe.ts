/**
 * What a loaded module exports, or what is wrong with it (behaviours 1, 2).
 *
 * Refuses an export of a known name that is no function, and modes that are empty, unknown or repeated. A CommonJS module whose
 * names Node could not see is looked at through its default export, on which its callbacks are called as methods.
 */
import { type CallbackKind, type ElicitationMode, exportOf, type HandlerModule } from './handler.js';

/** What the module exports (behaviours 1, 2). */
export interface Description {
  readonly callbacks: readonly CallbackKind[];
  readonly elicitationModes: readonly ElicitationMode[];
}

export type Described =
  | { readonly ok: true; readonly module: HandlerModule; readonly description: Description }
  | { readonly ok: false; readonly reason: string };

const kinds = Object.keys(exportOf) as CallbackKind[];
const modes: readonly unknown[] = ['form', 'url'] satisfies ElicitationMode[];
const names: readonly string[] = [...Object.values(exportOf), 'elicitationModes'];

export function describeModule(namespace: unknown): Described {
  const exported = exportsOf(namespace);
  const owner = isObject(namespace) ? (namespace as Exports).default : undefined;
  const module: { [name: string]: unknown } = {};
  for (const name of names) {
    const value = exported[name];
    if (value === undefined) continue;
    if (name !== 'elicitationModes' && typeof value !== 'function') return wrongExport(name, value);
    module[name] = typeof value === 'function' ? onOwner(owner, name, value as Callback) : value;
  }
  const fault = wrongModes(module.elicitationModes);
  if (fault !== undefined) return { ok: false, reason: fault };
  const callbacks = kinds.filter((kind) => module[exportOf[kind]] !== undefined);
  const elicitationModes = Object.freeze([...((module.elicitationModes as ElicitationMode[] | undefined) ?? ['form'])]);
  return { ok: true, module, description: Object.freeze({ callbacks: Object.freeze(callbacks), elicitationModes }) };
}

/** Whether something that crossed a boundary is a description. */
export function isDescription(value: unknown): value is Description {
  if (typeof value !== 'object' || value === null) return false;
  const { callbacks, elicitationModes } = value as { [key: string]: unknown };
  const known = Array.isArray(callbacks) && callbacks.every((kind) => kinds.includes(kind));
  return known && wrongModes(elicitationModes) === undefined && elicitationModes !== undefined;
}

type Exports = { readonly [name: string]: unknown };

function exportsOf(namespace: unknown): Exports {
  const exported = (isObject(namespace) ? namespace : {}) as Exports;
  if (names.some((name) => exported[name] !== undefined)) return exported;
  return isObject(exported.default) ? (exported.default as Exports) : exported;
}

type Callback = (...args: unknown[]) => unknown;

/** A default export may be an instance of a class, or a CommonJS object, whose methods want their `this`. */
function onOwner(owner: unknown, name: string, callback: Callback): Callback {
  if (!isObject(owner) || (owner as Exports)[name] !== callback) return callback;
  return (...args) => Reflect.apply(callback, owner, args);
}

function isObject(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function wrongExport(name: string, value: unknown): Described {
  return {
    ok: false,
    reason: `its export "${name}" should be a function, but is ${value === null ? 'null' : `a ${typeof value}`}`,
  };
}

function wrongModes(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) return 'its export "elicitationModes" should be an array of "form" and "url"';
  if (value.length === 0) return 'its export "elicitationModes" is empty; leave it out for form mode only';
  if (!value.every((mode) => modes.includes(mode)))
    return 'its export "elicitationModes" holds a mode other than "form" and "url"';
  if (new Set(value).size < value.length) return 'its export "elicitationModes" holds a mode twice';
  return undefined;
}
