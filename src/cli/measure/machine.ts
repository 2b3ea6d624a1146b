/** On what a figure was measured. A figure without this is a rumour. */
import { execFileSync } from 'node:child_process';
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  /** GiB. */
  readonly memory: number;
  readonly system: string;
  readonly node: string;
  /** The commit the code was built from, `+` where the tree was changed since; null outside a checkout. */
  readonly commit: string | null;
  /** Runnable tasks, averaged over the last minute. Above the number of cores, trust ratios only. */
  readonly load: number;
  /** ISO 8601. */
  readonly at: string;
}

/** `checkout` is the folder whose commit is told; leave it out where the code came from a registry. */
export function describeMachine(checkout?: string): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memory: Math.round((totalmem() / 2 ** 30) * 10) / 10,
    system: `${platform()} ${release().split('-')[0]} ${arch()}`,
    node: process.version,
    commit: checkout === undefined ? null : commitOf(checkout),
    load: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    at: new Date().toISOString(),
  };
}

export function machineLine(machine: Machine): string {
  const commit = machine.commit === null ? '' : `, commit ${machine.commit}`;
  const { cores, load, memory, node, processor, system, at } = machine;
  const where = `${processor}, ${cores} ${cores === 1 ? 'core' : 'cores'}, ${memory} GiB, ${system}, Node ${node.slice(1)}`;
  return `${where}${commit}, load ${load} at the start, ${at.slice(0, 16).replace('T', ' ')} UTC`;
}

function commitOf(folder: string): string | null {
  try {
    const commit = git(folder, 'rev-parse', '--short=10', 'HEAD');
    // What this very script writes does not make the measured code another one.
    const changed = git(folder, 'status', '--porcelain', '--', '.', ':!bench/RESULTS.md', ':!bench/report');
    return changed === '' ? commit : `${commit}+`;
  } catch {
    return null;
  }
}

function git(folder: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}
