/**
 * Where a plugin runs. The host sets the minimum, by default `process`; the manifest says where it can run; the lowest tier
 * that satisfies both is taken. A plugin never lowers the host's choice, and never runs `inline` or in a plain `thread`.
 */
import type { PluginManifest, PluginTier } from '../contract/plugin.js';
import type { Tier } from '../options.js';
import { turnAway } from './refusal.js';

const order: readonly PluginTier[] = ['compartment', 'process'];

/** The tier of this plugin; throws `load` if there is none. */
export function tierOf(manifest: PluginManifest, minimum: Tier = 'process'): PluginTier {
  const floor = order.indexOf(minimum as PluginTier);
  if (floor < 0) turnAway(manifest.name, 'tiers', 'to be a plugin', `isolation "${minimum}", which contains no plugin`);
  const tier = order.slice(floor).find((candidate) => manifest.tiers.includes(candidate));
  return tier ?? turnAway(manifest.name, 'tiers', manifest.tiers.join(' or '), `"${minimum}" or above`);
}
