/**
 * Files of this package that threads and children run. They lie beside the library as it was installed; a bundle of the library
 * does not keep them, and where it is CommonJS it has no URL of its own either.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BulkheadError } from '../errors.js';

/** Throws `load` where there is none. Asked when a thread or child is to start, so that a bundle can be loaded and say what is wrong with it. */
export function ownFile(name: string): string {
  const path = place(name);
  if (path !== undefined) return path;
  throw new BulkheadError(
    'load',
    `mcp-bulkhead has lost its own file "workers/${name}": leave the package out of bundles (mark "mcp-bulkhead" as external), and installed as it is`,
  );
}

function place(name: string): string | undefined {
  try {
    const path = fileURLToPath(new URL(`../../workers/${name}`, import.meta.url));
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
