/**
 * `mcp-bulkhead plugin check`: loads a plugin as a host would, in its tier, and says what it is and has. Without a grant it is
 * given all that it asks for, so that an author sees whether it runs at all.
 */
import { systemClock } from '../clock.js';
import type { Description } from '../contract/describe.js';
import type { PluginManifest, PluginTier } from '../contract/plugin.js';
import { createIsolation } from '../isolation/create.js';
import { resolveThreads } from '../threads.js';
import type { PluginGrant } from './grant.js';
import { pin } from './lock.js';
import { readManifest } from './manifest.js';
import { type LoadedPlugin, loadPlugin } from './plugin.js';

export interface CheckRequest {
  readonly manifest: string;
  readonly grant?: PluginGrant;
  /** A lock file that has to pin it. */
  readonly lock?: string;
  /** Write its entry into the lock file instead, once it has loaded. */
  readonly pin?: boolean;
  readonly tier?: PluginTier;
}

export interface Checked {
  readonly loaded: LoadedPlugin;
  readonly description: Description;
  /** From start to description, in ms. */
  readonly took: number;
  /** Permissions that it would like and does not get. */
  readonly denied: readonly string[];
}

/** Rejects with what would keep a host from loading it. */
export async function checkPlugin({ manifest, grant, lock, pin: write = false, tier }: CheckRequest): Promise<Checked> {
  const loaded = await loadPlugin(manifest, {
    grant: grant ?? everything((await readManifest(manifest)).manifest),
    ...(tier === undefined ? {} : { minimumTier: tier }),
    ...(lock === undefined || write ? {} : { lock }),
  });
  const { program, limits, permissions } = loaded;
  const since = performance.now();
  const isolation = await createIsolation({
    ...{ tier: loaded.tier, handler: undefined, plugin: { program, maxMemoryMb: limits.maxMemoryMb }, clock: systemClock },
    ...{ threads: resolveThreads({ spares: 0 }), events: { stray: () => {}, output: () => {}, undead: () => {} } },
    services: Object.fromEntries(Object.keys(permissions.services ?? {}).map((name) => [name, () => null])),
  });
  const took = performance.now() - since;
  const { description } = isolation;
  await isolation.close('kill');
  if (lock !== undefined && write) await pin(lock, loaded.manifest);
  const denied = Object.keys(loaded.manifest.optionalPermissions ?? {}).filter((name) => !(name in permissions));
  return { loaded, description, took, denied };
}

const everything = ({ permissions, optionalPermissions }: PluginManifest): PluginGrant => ({
  ...optionalPermissions,
  ...permissions,
});
