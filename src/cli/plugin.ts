/**
 * `mcp-bulkhead plugin build | check | pack`: what a plugin's author runs. The work is done in `plugin/`; this file says what
 * happened.
 */
import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Permissions, PluginTier } from '../contract/plugin.js';
import { BulkheadError } from '../errors.js';
import { packPlugin } from '../plugin/archive.js';
import { buildPlugin } from '../plugin/build.js';
import { spellComplaint } from '../plugin/bundle.js';
import { type Checked, checkPlugin } from '../plugin/check.js';
import type { PluginGrant } from '../plugin/grant.js';
import type { Needs } from '../plugin/needs.js';
import type { Terminal } from './terminal.js';

export function register(command: Command, terminal: Terminal): void {
  registerBuild(command, terminal);
  registerCheck(command, terminal);
  registerPack(command, terminal);
}

const manifestName = 'plugin.manifest.json';
const builtManifest = `dist/${manifestName}`;

function registerBuild(command: Command, terminal: Terminal): void {
  command
    .command('build')
    .description('bundle a plugin and its dependencies into one file, and complete its manifest')
    .argument('<entry>', "the plugin's first file, an ES module (.js or .ts)")
    .option('--manifest <file>', "the author's manifest; begun if it does not exist", manifestName)
    .option('--out <folder>', 'where the bundle and the completed manifest go', 'dist')
    .action(async (entry: string, { manifest, out }: { manifest: string; out: string }) => {
      const built = await buildPlugin({ entry, manifest, out });
      if (!built.ok) {
        for (const complaint of built.complaints) terminal.warn(spellComplaint(complaint));
        terminal.exitCode = 1;
        return;
      }
      const { source, name, version } = built.manifest;
      if (built.begun) terminal.print(`began ${manifest}: look at it, it asks for nothing yet`);
      terminal.print(`built ${name} ${version}: ${source.bytes} bytes, ${source.integrity}`);
      terminal.print(`wrote ${relative('', resolve(built.path))}`);
      tell(built.needs, Object.keys({ ...built.manifest.permissions, ...built.manifest.optionalPermissions }), terminal);
    });
}

/** The guess, and what of it the manifest does not say. */
function tell(needs: Needs, asked: readonly string[], terminal: Terminal): void {
  const { permissions, services, origins, absent } = needs;
  const details = { services: services.join(', '), fetch: origins.join(', ') } as { readonly [name: string]: string };
  for (const name of permissions) {
    const detail = details[name] ? ` (${details[name]})` : '';
    const known = asked.includes(name) ? 'asked for' : terminal.paint.yellow('not asked for in the manifest');
    terminal.print(`seems to need ${name}${detail}: ${known}`);
  }
  if (absent.length > 0) terminal.print(terminal.paint.yellow(`names what no plugin has: ${absent.join(', ')}`));
}

function registerPack(command: Command, terminal: Terminal): void {
  command
    .command('pack')
    .description('put a built plugin into one archive, the same bytes every time')
    .argument('[manifest]', 'the completed manifest', builtManifest)
    .option('--out <folder>', 'where the archive goes', '.')
    .action(async (manifest: string, { out }: { out: string }) => {
      const { path, bytes, integrity } = await packPlugin(manifest, out);
      terminal.print(`packed ${relative('', resolve(path))}: ${bytes} bytes, ${integrity}`);
    });
}

interface CheckOptions {
  readonly grant?: string;
  readonly lock?: string;
  readonly pin?: boolean;
  readonly tier?: PluginTier;
}

function registerCheck(command: Command, terminal: Terminal): void {
  command
    .command('check')
    .description('load a plugin as a host would, in its tier, and report')
    .argument('[manifest]', 'the completed manifest', builtManifest)
    .option('--grant <file>', 'what a host would grant, as JSON; without it all that is asked for')
    .option('--lock <file>', 'a lock file that has to pin it')
    .option('--pin', 'write its entry into the lock file instead')
    .addOption(new Option('--tier <tier>', 'the least it may run in').choices(['compartment', 'process']))
    .action(async (manifest: string, { grant, ...options }: CheckOptions) => {
      if (options.pin && options.lock === undefined) command.error('error: --pin wants a --lock file to write to');
      const given = grant === undefined ? {} : { grant: await readGrant(grant) };
      report(await checkPlugin({ manifest, ...given, ...options }), options, terminal);
    });
}

async function readGrant(path: string): Promise<PluginGrant> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as PluginGrant;
  } catch (cause) {
    throw new BulkheadError('options', `--grant ${path}: ${(cause as Error).message}`, { cause });
  }
}

function report({ loaded, description, took, denied }: Checked, { lock, pin }: CheckOptions, terminal: Terminal): void {
  const { manifest, tier, permissions, limits } = loaded;
  const { name, version, source, callbacks, tiers } = manifest;
  const modes = callbacks.includes('handleElicitation') ? ` (modes: ${description.elicitationModes.join(', ')})` : '';
  terminal.print(`${name} ${version}: ${source.bytes} bytes, intact, ${source.integrity}`);
  terminal.print(`tier: ${tier} (it can run in: ${tiers.join(', ')}), loaded in ${Math.round(took)} ms`);
  terminal.print(`callbacks: ${callbacks.join(', ')}${modes}`);
  terminal.print(`has: ${spell(permissions)}`);
  if (denied.length > 0) terminal.print(`would like, and does not get: ${denied.join(', ')}`);
  const deadline = limits.timeoutMs === undefined ? "the host's deadline" : `${limits.timeoutMs} ms`;
  terminal.print(`limits: ${limits.maxMemoryMb} MiB, ${deadline}, ${limits.maxResultBytes} bytes a result`);
  if (lock !== undefined) terminal.print(pin ? `pinned in ${lock}` : `as pinned in ${lock}`);
}

function spell(permissions: Permissions): string {
  const parts = Object.entries(permissions).map(([name, value]) => {
    const detail = JSON.stringify(value);
    return detail === '{}' ? name : `${name} ${detail}`;
  });
  return parts.join(', ') || 'nothing';
}
