/**
 * From permissions to globals: one file a permission, each a function that returns the globals it stands for. They are closures
 * over host objects, never the objects, and hardened before a plugin sees them.
 */
import type { Permissions } from '../../../src/contract/plugin.js';
import type { Harden } from '../realm.js';
import type { Scope } from '../scope.js';
import { controllerGlobals } from '../signal.js';
import { clockGlobals } from './clock.js';
import { consoleGlobals, type Print } from './console.js';
import { fetchGlobals } from './fetch.js';
import { randomGlobals } from './random.js';
import { timerGlobals } from './timers.js';
import { urlGlobals } from './url.js';

export interface Endowing {
  readonly permissions: Permissions;
  readonly scope: Scope;
  readonly print: Print;
  readonly harden: Harden;
}

/** Defines what is granted on `globals`, and nothing else. */
export function endow(globals: Record<string, unknown>, { permissions, scope, print, harden }: Endowing): void {
  const granted = {
    ...controllerGlobals(harden),
    ...(permissions.console && consoleGlobals(print)),
    ...(permissions.timers && timerGlobals(permissions.timers.max ?? 64, scope)),
    ...(permissions.random && randomGlobals()),
    ...(permissions.clock && clockGlobals()),
    ...(permissions.url && urlGlobals()),
    ...(permissions.fetch && fetchGlobals(permissions.fetch, scope, harden)),
  };
  for (const [name, value] of Object.entries(granted))
    Object.defineProperty(globals, name, { value: harden(value), writable: true, enumerable: false, configurable: true });
}
