/**
 * Whether an inspector is attached to this process. A callback that stands at a breakpoint is neither late nor busy.
 */
import { createRequire } from 'node:module';

type Inspector = { url(): string | undefined };

let inspector: Inspector | undefined;

export function debuggerAttached(): boolean {
  inspector ??= load();
  return inspector.url() !== undefined;
}

/** Some builds of Node come without an inspector. */
function load(): Inspector {
  try {
    return createRequire(import.meta.url)('node:inspector') as Inspector;
  } catch {
    return { url: () => undefined };
  }
}
