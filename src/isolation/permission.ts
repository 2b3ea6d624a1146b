/**
 * Node's permission model for one thread: given to a worker through `execArgv`, it holds in that thread and needs nothing of the
 * process around it. Never with `--allow-worker`: a nested worker would not inherit it.
 *
 * No document promises that it works in a worker, so whoever relies on it asks `process.permission` there at the start.
 */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BulkheadError } from '../errors.js';

const flag = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';

/**
 * Flags under which a thread may read what lies below `folders`, what the host lists (`listed`), the runner's own files, and nothing
 * else. Throws `load` where a folder's own name would be read as a pattern.
 */
export function permissionFlags(folders: readonly string[] = [], listed: readonly string[] = []): string[] {
  const own = [...runnerFiles(), ...folders].map(literal);
  return [flag, ...[...own, ...listed].map((path) => `--allow-fs-read=${path}`), '--no-warnings'];
}

/** Node takes a `*` for any text, and has no way to write one that is not: its neighbours would be readable too. */
function literal(path: string): string {
  if (!path.includes('*')) return path;
  throw new BulkheadError('load', `Node's permission model cannot name the folder "${path}": it would read the "*" as any text`);
}

/** What a runner thread reads before it is ours: its own code, Piscina's, and the two package files that say what those are. */
function runnerFiles(): string[] {
  const own = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
  const piscina = dirname(dirname(createRequire(import.meta.url).resolve('piscina')));
  return [own('../../workers'), own('../contract'), own('../../../package.json'), piscina];
}
