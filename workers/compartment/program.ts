/**
 * A plugin as a handler module: the runner calls it as it would call any other. Behind each callback stands one instance a
 * server, made when that server first asks; the one that described the plugin serves the first.
 *
 * Bounded: beyond `most` servers the instance unused for longest goes, and with it the plugin's own variables.
 */
import type { HandlerModule } from '../../src/contract/handler.js';
import type { PluginProgram } from '../../src/contract/plugin.js';
import type { LiveContext } from './context.js';
import type { Print } from './endow/console.js';
import { createInstance, type Instance } from './instance.js';
import type { Realm } from './realm.js';

const most = 16;

/** Evaluates the plugin once and returns what it declares. Throws what the text throws. */
export function createProgram(realm: Realm, program: PluginProgram, print: Print): HandlerModule {
  const first = createInstance(realm, program, print);
  const instanceOf = perServer(first, () => createInstance(realm, program, print));
  const callbacks = program.callbacks.map((name) => {
    const call = (...args: unknown[]): unknown => {
      const context = args[args.length - 1] as LiveContext;
      return instanceOf(context.serverId).call(name, args.slice(0, -1), context);
    };
    return [name, call] as const;
  });
  const modes = first.elicitationModes;
  return Object.freeze({
    ...(modes === undefined ? {} : { elicitationModes: modes }),
    ...Object.fromEntries(callbacks),
  }) as HandlerModule;
}

function perServer(first: Instance, create: () => Instance): (serverId: string) => Instance {
  const instances = new Map<string, Instance>();
  let spare: Instance | null = first;
  return (serverId) => {
    const instance = instances.get(serverId) ?? spare ?? create();
    if (instance === spare) spare = null;
    instances.delete(serverId);
    instances.set(serverId, instance);
    if (instances.size > most) instances.delete(instances.keys().next().value as string);
    return instance;
  };
}
