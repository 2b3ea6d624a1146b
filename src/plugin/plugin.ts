/**
 * From a path to a plugin that may run: manifest, bytes, lock, grant and tier, in that order, each with its own `load` error.
 *
 * Invariant: `program.source` is the text whose hash was compared, read once. Nothing here evaluates it.
 */
import type { Permissions, PluginLimits, PluginManifest, PluginProgram, PluginTier } from '../contract/plugin.js';
import type { Tier } from '../options.js';
import { effectivePermissions } from './effective.js';
import { readEntry } from './entry.js';
import { type Granted, type PluginGrant, resolveGrant } from './grant.js';
import { integrityOf } from './integrity.js';
import { type Lock, readLock, requireLocked } from './lock.js';
import { readManifest } from './manifest.js';
import { broken, turnAway } from './refusal.js';
import { tierOf } from './tier.js';

export interface PluginOptions {
  /** Default: nothing. */
  readonly grant?: PluginGrant;
  /** The weakest tier the host accepts. Default `process`. */
  readonly minimumTier?: Tier | undefined;
  /** The host's lock file, or its content. Without it no version is pinned. */
  readonly lock?: string | URL | Lock;
  /** Names of the host's services; a needed one that is missing turns the plugin away. */
  readonly services?: readonly string[];
}

export interface LoadedPlugin {
  readonly manifest: PluginManifest;
  readonly tier: PluginTier;
  readonly permissions: Permissions;
  readonly limits: PluginLimits & Required<Pick<PluginLimits, 'maxMemoryMb' | 'maxResultBytes'>>;
  readonly program: PluginProgram;
}

/** 256 MiB and 1 MiB: what a plugin gets that asks for nothing else. */
const defaults = { maxMemoryMb: 256, maxResultBytes: 2 ** 20 };

export async function loadPlugin(manifestPath: string | URL, options: PluginOptions = {}): Promise<LoadedPlugin> {
  const granted = await resolveGrant(options.grant ?? {});
  const located = await readManifest(manifestPath);
  const { manifest } = located;
  const tier = tierOf(manifest, options.minimumTier);
  const bytes = await readEntry(located);
  await requirePinned(manifest, bytes, granted, options.lock);
  const permissions = effectivePermissions(manifest, granted.permissions);
  requireServices(manifest, options.services);
  const limits = { ...defaults, ...lesser(manifest.limits ?? {}, granted.limits) };
  const { maxResultBytes } = limits;
  const { name, callbacks } = manifest;
  return {
    manifest,
    tier,
    permissions,
    limits,
    program: { name, source: text(bytes, name), permissions, callbacks, maxResultBytes },
  };
}

async function requirePinned(
  manifest: PluginManifest,
  bytes: Buffer,
  granted: Granted,
  lock: PluginOptions['lock'],
): Promise<void> {
  if (granted.name !== undefined && granted.name !== manifest.name) turnAway(manifest.name, 'name', manifest.name, granted.name);
  if (granted.integrity !== undefined && granted.integrity !== integrityOf(bytes))
    turnAway(manifest.name, 'source.integrity', manifest.source.integrity, granted.integrity);
  if (lock === undefined) return;
  requireLocked(typeof lock === 'string' || lock instanceof URL ? await readLock(lock) : lock, manifest);
}

function requireServices({ name, permissions }: PluginManifest, services: readonly string[] | undefined): void {
  if (services === undefined) return;
  for (const service of Object.keys(permissions.services ?? {}))
    if (!services.includes(service))
      turnAway(name, `permissions.services.${service}`, 'this service', 'a host that has none of that name');
}

function lesser(wanted: PluginLimits, granted: PluginLimits): PluginLimits {
  const limits: { -readonly [key in keyof PluginLimits]: PluginLimits[key] } = { ...wanted };
  for (const [key, bound] of Object.entries(granted) as [keyof PluginLimits, number][])
    limits[key] = Math.min(limits[key] ?? bound, bound);
  return limits;
}

/** UTF-8, strictly: bytes that are no text would evaluate as something else than what was hashed. */
function text(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    return broken(name, 'source.entry', 'UTF-8 text', 'other bytes', cause);
  }
}
