/**
 * Where a handler module is, and why it could not be loaded, in words that name the file, the reason and the remedy.
 */
import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Fault } from '../contract/fault.js';
import { BulkheadError } from '../errors.js';

/** A file URL of the module that `handler` names: a file URL, or a path, which may hold spaces, `#` and `%`. */
export async function locate(handler: string): Promise<string> {
  const url = urlOf(handler);
  const path = fileURLToPath(url);
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) throw loadError(path, found.code === 'ENOENT' ? 'there is no such file' : found.message, found);
  if (!found.isFile()) throw loadError(path, 'it is no file', undefined);
  return url;
}

export function urlOf(handler: string): string {
  if (!handler.startsWith('file:')) return pathToFileURL(isAbsolute(handler) ? handler : resolve(handler)).href;
  try {
    fileURLToPath(handler);
    return handler;
  } catch (error) {
    throw new BulkheadError('load', `handler ${JSON.stringify(handler)} is no URL of a local file`, { cause: error });
  }
}

/** The `load` error for a module that a cell could not load. */
export function loadFailure(url: string, fault: Fault): BulkheadError {
  if (url.startsWith('plugin:')) {
    const reason = fault.name === 'LoadError' ? fault.message : `${fault.name}: ${fault.message}`;
    return new BulkheadError('load', `plugin ${url.slice('plugin:'.length)} could not be loaded: ${reason}`, { cause: fault });
  }
  const path = fileURLToPath(url);
  return loadError(path, reasonFor(path, fault), fault);
}

function reasonFor(path: string, { name, message, code }: Fault): string {
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[mc]?tsx?$/.test(path))
    return `this Node cannot load TypeScript by itself: use Node 22.18 or later, compile it, or give \`threads.execArgv: ['--import', 'tsx']\``;
  if (name === 'SyntaxError' && /^(?:Unexpected token 'export'|Cannot use import statement outside a module)/.test(message))
    return `${message}: it is an ES module, and the package.json above it says CommonJS: set "type": "module" there, or name it .mjs (.mts)`;
  if (code === 'ERR_ACCESS_DENIED')
    return `Node's permission model does not let it read the module, or what that imports: allow the folders in \`threads.permission.read\`, or with --allow-fs-read where the whole process is under it`;
  return name === 'LoadError' || name === 'ExitError' ? message : `${name}: ${message}`;
}

function loadError(path: string, reason: string, cause: unknown): BulkheadError {
  return new BulkheadError('load', `handler "${path}" could not be loaded: ${reason}`, { cause });
}
