/**
 * The `process` tier: cells as threads of a child process, one child a plugin, so that waiting forms do not multiply processes.
 * What kills a process kills that one.
 *
 * A spare child stands ready with the plugin loaded in a first thread: the request after a crash finds it. Crashes slow the
 * starting of further children down (0.1 to 5 s). Invariant: a cell is told of its end exactly once, whether its thread, its
 * child or the host ended it.
 */
import type { Clock } from '../clock.js';
import type { ChildSettings } from '../contract/child.js';
import type { LoadTask } from '../contract/messages.js';
import type { PluginThread } from '../contract/plugin.js';
import type { ThreadSettings } from '../threads.js';
import type { Carrier, Cell, CellEvents } from './cell.js';
import { type PluginCarrier, type PluginToRun, pluginFlags } from './compartment.js';
import type { IsolationEvents } from './isolation.js';
import { pauseAfter } from './pause.js';
import { type Child, createChild } from './process-child.js';
import { launch } from './process-launch.js';
import { createPlace, type Place } from './process-place.js';
import { sesImage } from './ses-image.js';

/** A child that lived this long did not crash for its start. */
const forgotten = 30_000;
/** A spare starts when the first callbacks have had their turn. */
const spareDelay = 50;

export async function createProcessCarrier(
  settings: ThreadSettings,
  plugin: PluginToRun,
  clock: Clock,
  events: IsolationEvents,
): Promise<PluginCarrier> {
  const childSettings = await settingsOf(plugin);
  const dataMb = maxDataMb(plugin.maxMemoryMb, settings.max);
  const carrier = createCarrier(childSettings, plugin, { dataMb, spares: settings.spares > 0 }, clock, events);
  // The child is watched on its own; what the host allocates meanwhile is no plugin's fault.
  return { carrier, threads: settings, memory: { resident: () => 0, own: () => 0 } };
}

async function settingsOf({ program, maxMemoryMb }: PluginToRun): Promise<ChildSettings> {
  const workerData: PluginThread = { ses: await sesImage(), program };
  const resourceLimits = { maxOldGenerationSizeMb: maxMemoryMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };
  return { workerData, execArgv: pluginFlags(program), resourceLimits };
}

/** From Node 23 on every thread reserves half a gigabyte that it does not use, and the system counts it (measured: 524 to 560). */
const reservedMb = Number(process.versions.node.split('.')[0]) >= 23 ? 564 : 0;
/** The child's own, the consumer, and cells that end while others take their place. */
const furtherThreads = 8;

/**
 * A backstop for what grows faster than the watch looks: data of the plugin, of its threads and of the child itself. Below it V8
 * could not even reserve what it starts with.
 */
const maxDataMb = (maxMemoryMb: number, threads: number): number =>
  2 * maxMemoryMb + 1536 + reservedMb * (threads + furtherThreads);

function createCarrier(
  settings: ChildSettings,
  { maxMemoryMb }: PluginToRun,
  { dataMb, spares }: { readonly dataMb: number; readonly spares: boolean },
  clock: Clock,
  events: IsolationEvents,
): Carrier {
  const children = new Map<Child, { readonly over: Promise<void> }>();
  let current: Child | undefined;
  let spare: { readonly child: Child; readonly place: Place } | undefined;
  /** The thread that the current child was prepared with, until somebody takes it. */
  let ready: Place | undefined;
  let loadTask: LoadTask | undefined;
  let cells = 0;
  let crashes = 0;
  let lastCrash = Number.NEGATIVE_INFINITY;
  let closed = false;
  let cancelSpare: (() => void) | undefined;

  const place = (child: Child): Place => createPlace({ child, cell: ++cells, clock, loaded: provideSoon, another: host });

  function bear(): Child {
    let over!: () => void;
    const ended = new Promise<void>((resolve) => {
      over = resolve;
    });
    const child: Child = createChild({
      ...{ launch: () => launch(dataMb), delay: backoff(), settings, maxMemoryMb, clock },
      crashed(event) {
        crashes = clock.elapsed() - lastCrash > forgotten ? 1 : crashes + 1;
        lastCrash = clock.elapsed();
        events.crashed?.(event);
      },
      over() {
        children.delete(child);
        over();
        provide();
      },
    });
    children.set(child, { over: ended });
    return child;
  }

  function backoff(): number {
    if (crashes === 0 || clock.elapsed() - lastCrash > forgotten) return 0;
    return pauseAfter(crashes - 1);
  }

  function provide(): void {
    if (closed || !spares || loadTask === undefined || soundSpare() !== undefined) return;
    const child = bear();
    spare = { child, place: place(child) };
    spare.place.prepare(loadTask);
  }

  /** The spare, if it is still worth something; its process does not outlive its thread. */
  function soundSpare(): typeof spare {
    if (spare?.place.sound === true) return spare;
    spare?.child.kill();
    return undefined;
  }

  /** The plugin loads, so a spare is worth its memory. */
  function provideSoon(task: LoadTask): void {
    loadTask = task;
    cancelSpare ??= clock.after(spareDelay, provide);
  }

  /** A child that takes cells: the current one, else the spare, else a new one. */
  function host(): Child {
    if (current?.open === true) return current;
    const next = soundSpare();
    spare = undefined;
    ready = next?.place;
    current = next?.child ?? bear();
    provide();
    return current;
  }

  function take(): Place {
    const child = host();
    const prepared = ready;
    ready = undefined;
    return prepared?.sound === true ? prepared : place(child);
  }

  return {
    tier: 'process',
    start(listener: CellEvents): Cell {
      const cell = take();
      cell.adopt(listener);
      return cell;
    },
    async close() {
      closed = true;
      cancelSpare?.();
      const ending = [...children].map(([child, { over }]) => {
        child.kill();
        return over;
      });
      await Promise.all(ending);
    },
  };
}
