/**
 * The resident size of another process, read from outside, so that a process too busy to say it cannot hide it. Linux only;
 * elsewhere the child's own word has to do.
 */
import { readFileSync } from 'node:fs';

const pageSize = 4096;

/** Bytes, or undefined where the platform does not say. */
export function residentSize(pid: number | undefined): number | undefined {
  if (process.platform !== 'linux' || pid === undefined) return undefined;
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * pageSize;
  } catch {
    return undefined;
  }
}
