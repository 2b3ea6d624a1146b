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

/** The model closes the network from Node 25 on; before, it has no word for it, and the network is open. */
const network = process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : [];

export interface Permitted {
  readonly network: boolean;
  /** Literal, as opposed to what the host lists. */
  readonly folders?: readonly string[];
  readonly listed?: readonly string[];
}

/**
 * Flags under which a thread may read what lies below `folders`, what the host lists (`listed`), the runner's own files, and nothing
 * else. Throws `load` where a folder's own name would be read as a pattern.
 */
export function permissionFlags({ network: open, folders = [], listed = [] }: Permitted): string[] {
  const own = [...runnerFiles(), ...folders].map(literal);
  const readable = [...own, ...listed].map((path) => `--allow-fs-read=${path}`);
  return [flag, ...readable, ...(open ? network : []), '--no-warnings'];
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
