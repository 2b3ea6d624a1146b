/**
 * One plugin for one server: a compartment with the globals that were granted, the exports of its text, and the scope that
 * its callbacks open and leave. Nothing is shared between instances but frozen intrinsics.
 */
import { toFault } from '../../src/contract/fault.js';
import { isRefusal } from '../../src/contract/handler.js';
import type { CallbackExport, PluginProgram } from '../../src/contract/plugin.js';
import { isThenable } from '../../src/contract/stage.js';
import { createShield, type LiveContext } from './context.js';
import type { Print } from './endow/console.js';
import { endow } from './endow/endow.js';
import { evaluate, withhold } from './evaluate.js';
import { requirePlain } from './plain.js';
import type { Realm } from './realm.js';
import { createScope, type Scope } from './scope.js';

export interface Instance {
  /** What the text exports as `elicitationModes`, copied; undefined if nothing. */
  readonly elicitationModes: unknown;
  /** What the callback returns, or throws, or a promise of that. */
  call(name: CallbackExport, args: readonly unknown[], context: LiveContext): unknown;
}

type Callback = (...args: unknown[]) => unknown;

/** Evaluates the text. Throws what it throws, and where a declared callback is missing. */
export function createInstance(realm: Realm, program: PluginProgram, print: Print): Instance {
  const { harden } = realm;
  const shield = createShield(harden);
  const compartment = realm.createCompartment();
  const scope = createScope();
  withhold(compartment.globalThis);
  endow(compartment.globalThis, { permissions: program.permissions, scope, print, harden });
  const told = (error: unknown): unknown => withStack(error, realm, program.name);
  const exported = evaluated(() => evaluate(compartment, program.source, program.name), told);
  const callbacks = new Map(program.callbacks.map((name) => [name, callbackOf(exported, name)]));
  return {
    elicitationModes: modesOf(exported),
    call(name, args, context) {
      const callback = callbacks.get(name) as Callback;
      for (const arg of args) requirePlain(arg);
      const shielded = shield(context);
      scope.enter();
      let later = false;
      try {
        const said = callback(...args, shielded);
        if (!isThenable(said)) return said;
        const settled = leaveAfter(said, scope, told);
        later = true;
        return settled;
      } catch (error) {
        throw told(error);
      } finally {
        if (!later) scope.leave();
      }
    },
  };
}

/** Awaited, since `then` would ask the plugin's promise for the class of the next one, and leave what that makes of it. */
async function leaveAfter(said: PromiseLike<unknown>, scope: Scope, told: (error: unknown) => unknown): Promise<unknown> {
  try {
    return await said;
  } catch (error) {
    throw told(error);
  } finally {
    scope.leave();
  }
}

function evaluated(run: () => unknown, told: (error: unknown) => unknown): unknown {
  try {
    return run();
  } catch (error) {
    throw told(error);
  }
}

/**
 * What the plugin threw, for the host: with the stack that is hidden inside, cut down to the plugin's own frames. A refusal goes on
 * as it is.
 */
function withStack(error: unknown, { stackOf }: Realm, name: string): unknown {
  if (!(error instanceof Error) || isRefusal(error)) return error;
  const frames = stackOf(error)
    .split('\n')
    .filter((line) => line.includes(`plugin:${name}:`));
  const known = toFault(error);
  return frames.length === 0 ? known : { ...known, stack: [`${known.name}: ${known.message}`, ...frames].join('\n') };
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
