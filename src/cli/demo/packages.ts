/**
 * What only the demo needs: the official server package and a published server. They are no dependencies of the library, so
 * the demo looks for them first and says what to install, instead of failing in a child process.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { BulkheadError } from '../../errors.js';

const needed = ['@modelcontextprotocol/server', '@modelcontextprotocol/node', '@modelcontextprotocol/server-everything', 'zod'];

/** The entry file of the published server-everything. Throws `load` naming every package that is missing. */
export function locateServers(isThere: (name: string) => boolean = isInstalled): string {
  const missing = needed.filter((name) => !isThere(name));
  if (missing.length > 0)
    throw new BulkheadError('load', `the demo talks to real servers and needs: npm install --save-dev ${missing.join(' ')}`);
  return createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
}

/** By its folder rather than its entry: server-everything has no main file. */
function isInstalled(name: string): boolean {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  return folders.some((folder) => existsSync(`${folder}/${name}/package.json`));
}
