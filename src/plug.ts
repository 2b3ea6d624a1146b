/**
 * Puts a plugin in the place of the handler module: reads and checks it, narrows the host's services to what is granted, and the
 * deadlines to what its manifest and the grant allow.
 */
import { wrong } from './checks.js';
import type { Limits, PerKind } from './options.js';
import { loadPlugin } from './plugin/plugin.js';
import { restrictServices } from './plugin/services.js';
import type { BulkheadOptions, Settings } from './settings.js';

/** Rejects with `options` or `load`. Without a plugin the settings are as they were. */
export async function plugIn(settings: Settings, options: BulkheadOptions): Promise<Settings> {
  const { plugin, grant, pluginLock, isolation: minimumTier } = options;
  if (plugin === undefined) return settings;
  if (!isPlace(plugin)) wrong('plugin', 'a path or a file URL of a manifest', plugin);
  if (pluginLock !== undefined && !isPlace(pluginLock)) wrong('pluginLock', 'a path or a file URL of a lock file', pluginLock);
  const { isolation, limits } = settings;
  const loaded = await loadPlugin(plugin, {
    minimumTier,
    services: Object.keys(isolation.services),
    ...(grant === undefined ? {} : { grant }),
    ...(pluginLock === undefined ? {} : { lock: pluginLock }),
  });
  const { maxMemoryMb, timeoutMs } = loaded.limits;
  return {
    ...settings,
    limits: hurry(limits, timeoutMs),
    pluginTimeout: timeoutMs,
    isolation: {
      ...isolation,
      tier: loaded.tier,
      services: restrictServices(isolation.services, loaded.permissions),
      plugin: { program: loaded.program, maxMemoryMb },
    },
  };
}

function isPlace(value: unknown): value is string | URL {
  return value instanceof URL ? value.protocol === 'file:' : typeof value === 'string' && value !== '';
}

/** No deadline of a callback is later than `timeout`. */
export function hurry(limits: Limits, timeout: number | undefined): Limits {
  if (timeout === undefined) return limits;
  const shorter = Object.entries(limits.handlerTimeout).map(([kind, ms]) => [kind, Math.min(ms, timeout)] as const);
  return { ...limits, handlerTimeout: Object.fromEntries(shorter) as PerKind<number> };
}
