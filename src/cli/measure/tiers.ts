/**
 * A handler module in each tier, ready to be measured. The tiers `compartment` and `process` run plugins, so the module is
 * bundled into one first, in memory, and granted everything that needs no choice of the operator's: it is the user's own.
 */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { systemClock } from '../../clock.js';
import { callbackExports, type Permissions } from '../../contract/plugin.js';
import { BulkheadError } from '../../errors.js';
import type { PluginToRun } from '../../isolation/compartment.js';
import type { IsolationSettings } from '../../isolation/create.js';
import type { Isolation, IsolationEvents } from '../../isolation/isolation.js';
import type { Tier } from '../../options.js';
import { bundle, spellComplaint } from '../../plugin/bundle.js';
import { resolveThreads, type ThreadOptions } from '../../threads.js';

const permissions: Permissions = { console: {}, timers: {}, random: {}, clock: {}, url: {} };

/** Heap of a plugin's worker, in MiB: what a plugin gets by default. */
const maxMemoryMb = 256;

/** What happens beside a measured callback is no part of the figure. */
const silent: IsolationEvents = { stray: () => {}, output: () => {}, undead: () => {} };

/** Settings for a file; rejects with `load` where a plugin cannot be made of it, or `esbuild` is missing. */
export async function settingsFor(tier: Tier, file: string | URL, threads: ThreadOptions = {}): Promise<IsolationSettings> {
  const handler = typeof file === 'string' && !file.startsWith('file:') ? pathToFileURL(file).href : String(file);
  const settings = { tier, handler, threads: resolveThreads(threads), services: {}, events: silent, clock: systemClock };
  if (tier === 'inline' || tier === 'thread') return settings;
  return { ...settings, plugin: await pluginOf(fileURLToPath(handler)) };
}

async function pluginOf(path: string): Promise<PluginToRun> {
  const bundled = await bundle(path, process.cwd());
  if (!bundled.ok)
    throw new BulkheadError('load', `it cannot be a plugin: ${bundled.complaints.map(spellComplaint).slice(0, 1).join()}`);
  const callbacks = callbackExports.filter((name) => bundled.exports.includes(name));
  return { program: { name: 'measured', source: bundled.source, permissions, callbacks, maxResultBytes: 2 ** 20 }, maxMemoryMb };
}

/** Cells start one after the other behind the first; resolves when so many stand ready. */
export async function standBy(room: Pick<Isolation, 'stats'>, cells: number): Promise<void> {
  if (room.stats().tier === 'inline') return;
  while (room.stats().spares < cells) await new Promise((resolve) => setTimeout(resolve, 2));
}
