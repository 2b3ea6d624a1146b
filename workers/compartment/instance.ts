/**
 * One plugin for one server: a compartment with the globals that were granted, the exports of its text, and the scope that
 * its callbacks open and leave. Nothing is shared between instances but frozen intrinsics.
 */
import type { CallbackExport, PluginProgram } from '../../src/contract/plugin.js';
import { type LiveContext, shield } from './context.js';
import { endow, type Print } from './endow/endow.js';
import { evaluate, withhold } from './evaluate.js';
import { requirePlain } from './plain.js';
import type { Realm } from './realm.js';
import { createScope } from './scope.js';

export interface Instance {
  /** What the text exports as `elicitationModes`, copied; undefined if nothing. */
  readonly elicitationModes: unknown;
  call(name: CallbackExport, args: readonly unknown[], context: LiveContext): Promise<unknown>;
}

type Callback = (...args: unknown[]) => unknown;

/** Evaluates the text. Throws what it throws, and where a declared callback is missing. */
export function createInstance(realm: Realm, program: PluginProgram, print: Print): Instance {
  const { harden } = realm;
  const compartment = realm.createCompartment();
  const scope = createScope();
  withhold(compartment.globalThis);
  endow(compartment.globalThis, { permissions: program.permissions, scope, print, harden });
  const exported = evaluate(compartment, program.source);
  const callbacks = new Map(program.callbacks.map((name) => [name, callbackOf(exported, name)]));
  return {
    elicitationModes: modesOf(exported),
    async call(name, args, context) {
      const callback = callbacks.get(name) as Callback;
      args.forEach(requirePlain);
      scope.enter();
      try {
        return await callback(...args, shield(context, harden));
      } finally {
        scope.leave();
      }
    },
  };
}

function callbackOf(exported: unknown, name: CallbackExport): Callback {
  const callback = (exported as Record<string, unknown> | null | undefined)?.[name];
  if (typeof callback !== 'function')
    throw new Error(`callbacks: "${name}" is declared in the manifest but not exported as a function`);
  return callback as Callback;
}

function modesOf(exported: unknown): unknown {
  const modes = (exported as Record<string, unknown>).elicitationModes;
  return modes === undefined ? undefined : JSON.parse(JSON.stringify(modes) ?? 'null');
}
