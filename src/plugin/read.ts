/**
 * Reads a file of a plugin: once, bounded, and only if it is a file. A pipe in its place would never be read to its end, nor would a
 * device, and opening a pipe would already wait for ever.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Says how the file differs from what was expected, and throws. */
export type Refuse = (expected: string, received: string, cause?: unknown) => never;

/** Windows has no such flag, and needs none. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** One open, one read: the file cannot change between looking and reading. */
export async function readBounded(path: string, mostBytes: number, refuse: Refuse): Promise<Buffer> {
  const failed = (cause: NodeJS.ErrnoException): never => refuse('a readable file', cause.code ?? 'an error', cause);
  const file = await open(path, flags).catch(failed);
  try {
    const seen = await file.stat();
    if (!seen.isFile()) refuse('a file', 'something else');
    if (seen.size > mostBytes) refuse(`at most ${mostBytes} bytes`, String(seen.size));
    return await file.readFile().catch(failed);
  } finally {
    await file.close();
  }
}
