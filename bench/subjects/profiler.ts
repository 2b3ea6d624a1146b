/**
 * A processor profile of one thread, summed by where the code is from. The profiler sees JavaScript and what it calls; what the kernel
 * does while a thread goes to sleep and wakes up counts as idle, so the scheduler's own account stands beside it.
 */
import { readFileSync } from 'node:fs';
import type { Profiler as Inspected } from 'node:inspector';
import { Session } from 'node:inspector/promises';

/** Microseconds of self time by area since `begin`, and the processor time of the thread in the same span; null where that is not told. */
export interface Profile {
  readonly areas: { readonly [area in Area]: number };
  readonly processor: number | null;
}

export const areas = ['sending', 'native', 'node', 'bulkhead', 'pool', 'bench', 'garbage'] as const;
export type Area = (typeof areas)[number];

export interface Profiler {
  begin(): Promise<void>;
  end(): Promise<Profile>;
}

export function openProfiler(): Profiler {
  const session = new Session();
  let before: number | null = null;
  return {
    async begin() {
      session.connect();
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: 100 });
      await session.post('Profiler.start');
      before = processorTime();
    },
    async end() {
      const after = processorTime();
      const { profile } = await session.post('Profiler.stop');
      session.disconnect();
      return { areas: summed(profile), processor: before === null || after === null ? null : after - before };
    },
  };
}

/** Of this thread, where Linux tells it. */
function processorTime(): number | null {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1000;
  } catch {
    return null;
  }
}

function summed({ nodes, samples = [], timeDeltas = [] }: Inspected.Profile): Profile['areas'] {
  const sums = Object.fromEntries(areas.map((area) => [area, 0])) as { [area in Area]: number };
  const areaById = new Map(nodes.map(({ id, callFrame }) => [id, areaOf(callFrame)]));
  for (const [at, id] of samples.entries()) {
    const area = areaById.get(id);
    if (area !== undefined) sums[area] += timeDeltas[at] ?? 0;
  }
  return sums;
}

/** Undefined for idle time. */
function areaOf({ functionName, url }: Inspected.ProfileNode['callFrame']): Area | undefined {
  if (functionName === '(idle)') return undefined;
  if (functionName === '(garbage collector)') return 'garbage';
  if (functionName === 'postMessage') return 'sending';
  if (url === '') return 'native';
  if (url.startsWith('node:')) return 'node';
  if (url.includes('/node_modules/')) return 'pool';
  return url.includes('/dist/bench/') || url.includes('/measure/') ? 'bench' : 'bulkhead';
}
