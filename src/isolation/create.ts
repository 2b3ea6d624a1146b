/**
 * Makes the room in which callbacks run, for the tier that was asked for.
 *
 * Rejects with kind `load` where the module cannot be used. Without a module there is nothing to run and no thread is started.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../clock.js';
import type { Fault } from '../contract/fault.js';
import type { Tier } from '../options.js';
import type { ThreadSettings } from '../threads.js';
import { createCompartmentCarrier, type PluginToRun } from './compartment.js';
import { debuggerAttached } from './debug.js';
import { createDispatcher, type DispatcherSettings } from './dispatcher.js';
import { createEmptyIsolation, noConsumer } from './empty.js';
import { createInlineCarrier } from './inline.js';
import type { Description, HostServiceTable, Isolation, IsolationEvents } from './isolation.js';
import { loadFailure, locate, urlOf } from './load.js';
import { permissionFlags } from './permission.js';
import { createProcessCarrier } from './process.js';
import { confinedRunner, createThreadCarrier } from './thread.js';

export interface IsolationSettings {
  readonly tier: Tier;
  /** Path or file URL of the handler module; undefined for none. Not looked at where there is a plugin. */
  readonly handler: string | undefined;
  /** What runs in the tiers `compartment` and `process`, already read and checked. */
  readonly plugin?: PluginToRun;
  readonly threads: ThreadSettings;
  readonly services: HostServiceTable;
  readonly events: IsolationEvents;
  readonly clock: Clock;
  /** No busy time is counted while an inspector is attached. Default false. */
  readonly debug?: boolean;
  /** How long a module may take to load, in ms. Default 10 000. */
  readonly loadTimeout?: number | undefined;
}

export async function createIsolation(settings: IsolationSettings): Promise<Isolation> {
  const { plugin, handler } = settings;
  if (plugin === undefined && handler === undefined) return createEmptyIsolation(settings.tier);
  const find = async () => (plugin === undefined ? await locate(handler as string) : `plugin:${plugin.program.name}`);
  const url = await find();
  const { services, events, clock, debug = false, loadTimeout = 10_000 } = settings;
  const debugged = () => debug && debuggerAttached();
  const carried = await carrierFor(settings);
  const dispatcher = createDispatcher({ ...carried, url, services, events, clock, loadTimeout, debugged });
  const explain = (found: Fault): never => {
    throw loadFailure(url, found);
  };
  const load = () => dispatcher.load().catch(explain);
  let description: Description;
  try {
    description = await load();
  } catch (error) {
    await dispatcher.close('kill');
    throw error;
  }
  return {
    get description() {
      return description;
    },
    run: dispatcher.run,
    consumer: () => (takesNotifications(description) ? dispatcher.consumer().catch(explain) : noConsumer()),
    async reload() {
      await find();
      description = await load();
      return description;
    },
    stats: dispatcher.stats,
    close: dispatcher.close,
  };
}

/** The carrier, and the settings that hold with it. */
async function carrierFor(settings: IsolationSettings): Promise<Pick<DispatcherSettings, 'carrier' | 'threads' | 'memory'>> {
  const { tier, plugin, threads, handler = '', clock, events } = settings;
  if (plugin !== undefined) {
    return tier === 'process'
      ? await createProcessCarrier(threads, plugin, clock, events)
      : await createCompartmentCarrier(threads, plugin, clock);
  }
  if (tier === 'inline') return { carrier: createInlineCarrier(), threads };
  if (threads.permission === false) return { carrier: createThreadCarrier(threads), threads };
  const folders = [dirname(fileURLToPath(urlOf(handler)))];
  const flags = permissionFlags({ network: true, folders, listed: threads.permission.read });
  return { carrier: createThreadCarrier({ ...threads, execArgv: [...flags, ...threads.execArgv] }, confinedRunner), threads };
}

const takesNotifications = ({ callbacks }: Description): boolean =>
  callbacks.includes('notification') || callbacks.includes('log');
