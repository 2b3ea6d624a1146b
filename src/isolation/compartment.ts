/**
 * The `compartment` tier: the thread carrier with another runner, which evaluates a plugin's text in a compartment, in threads
 * that have no permission but to read the runner's own files. One carrier a plugin, so no thread is ever shared between two.
 */
import type { Clock } from '../clock.js';
import type { PluginProgram, PluginThread } from '../contract/plugin.js';
import type { ThreadSettings } from '../threads.js';
import type { Carrier, Cell, CellEvents } from './cell.js';
import { permissionFlags } from './permission.js';
import { sesImage } from './ses-image.js';
import { createThreadCarrier } from './thread.js';
import { type Memory, processMemory } from './watch.js';

export interface PluginToRun {
  readonly program: PluginProgram;
  readonly maxMemoryMb: number;
}

const mebibyte = 2 ** 20;

/** A plugin's thread reads nothing but its runner, and has a network only for what was granted. */
export const pluginFlags = ({ permissions }: PluginProgram): string[] =>
  permissionFlags({ network: permissions.fetch !== undefined });

export interface PluginCarrier {
  readonly carrier: Carrier;
  /** Settings that hold with it. */
  readonly threads: ThreadSettings;
  readonly memory: Memory;
}

/** What a thread takes before its plugin has done anything: no growth to blame a plugin for. */
const threadBytes = 24 * mebibyte;

/** Growing up takes this long. */
const growth = 2000;

export async function createCompartmentCarrier(
  settings: ThreadSettings,
  { program, maxMemoryMb }: PluginToRun,
  clock: Clock,
): Promise<PluginCarrier> {
  const workerData: PluginThread = { ses: await sesImage(), program };
  const memoryBudget = Math.min(settings.memoryBudget, maxMemoryMb * mebibyte);
  const threads = { ...settings, memoryBudget, env: {}, execArgv: pluginFlags(program) };
  const { carrier, memory } = counted(createThreadCarrier(threads, { tier: 'compartment', workerData }), clock);
  return { carrier, memory, threads };
}

/** The carrier, and the memory of the process less what its threads take for themselves. */
function counted(carrier: Carrier, clock: Clock): Pick<PluginCarrier, 'carrier' | 'memory'> {
  let alive = 0;
  let growing = 0;
  function start(events: CellEvents): Cell {
    alive++;
    growing++;
    clock.after(growth, () => growing--);
    const gone = (): void => {
      alive--;
      events.gone();
    };
    return carrier.start({ ...events, gone });
  }
  const memory: Memory = {
    resident: processMemory.resident,
    own: () => processMemory.own() + alive * threadBytes,
    expected: () => growing * threadBytes,
  };
  return { carrier: { ...carrier, start }, memory };
}
