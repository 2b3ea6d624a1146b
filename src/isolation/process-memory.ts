/**
 * The resident size of another process, read from outside, so that a process too busy to say it cannot hide it. Linux only;
 * elsewhere the child's own word has to do. Read where the system gives kilobytes: the size of a page differs between machines.
 */
import { readFileSync } from 'node:fs';

/** Bytes, or undefined where the platform does not say. */
export function residentSize(pid: number | undefined): number | undefined {
  if (process.platform !== 'linux' || pid === undefined) return undefined;
  try {
    const [, kibibytes] = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}
