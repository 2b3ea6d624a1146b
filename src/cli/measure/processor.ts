/**
 * The processor time of the main thread alone, which `process.cpuUsage()` cannot give: that one counts every worker.
 * Node 24 has `process.threadCpuUsage`; on Linux the scheduler's own account is read; elsewhere event-loop utilisation
 * stands in for it, which also counts time that the thread was ready but not running.
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

type ProcessorSource = 'threadCpuUsage' | 'schedstat' | 'eventLoopUtilization';

export interface Processor {
  readonly source: ProcessorSource;
  /** Microseconds of main-thread time so far. Only differences mean something. */
  read(): number;
}

type ThreadUsage = () => { readonly user: number; readonly system: number };

export function openProcessor(): Processor {
  const usage = (process as { threadCpuUsage?: ThreadUsage }).threadCpuUsage;
  if (usage !== undefined) return { source: 'threadCpuUsage', read: () => sum(usage.call(process)) };
  const path = `/proc/self/task/${process.pid}/schedstat`;
  if (readable(path)) return { source: 'schedstat', read: () => Number(readFileSync(path, 'latin1').split(' ')[0]) / 1000 };
  return { source: 'eventLoopUtilization', read: () => performance.eventLoopUtilization().active * 1000 };
}

const sum = (usage: ReturnType<ThreadUsage>): number => usage.user + usage.system;

function readable(path: string): boolean {
  try {
    return Number(readFileSync(path, 'latin1').split(' ')[0]) > 0;
  } catch {
    return false;
  }
}
