/**
 * What a bundle seems to need, guessed from the names in it. A guess: a name in a string counts, one that is put together at
 * run time does not. It writes no permission; it tells the author where to look.
 */
import type { PermissionName } from '../contract/plugin.js';

export interface Needs {
  /** Permissions whose globals are named. */
  readonly permissions: readonly PermissionName[];
  /** Services of `context.host` that are called by name. */
  readonly services: readonly string[];
  /** Origins written out in the text. */
  readonly origins: readonly string[];
  /** Globals that no compartment has. */
  readonly absent: readonly string[];
}

const signs: { readonly [name in Exclude<PermissionName, 'services'>]: RegExp } = {
  console: /\bconsole\.(?:debug|log|info|warn|error)\b/,
  timers: /\b(?:setTimeout|setInterval)\(/,
  random: /\bMath\.random\(|\brandomUUID\(/,
  clock: /\bDate\.now\(|\bnew Date(?:\(\)|[;,)\s])/,
  url: /\bnew URL\(|\bURL\.canParse\(/,
  fetch: /(?:^|[^.\w$])fetch\(/,
};

const missing =
  /(?:^|[^.\w$"'`])(process\.(?!env\.NODE_ENV)|Buffer\.|new TextEncoder|new TextDecoder|new Uint8Array|structuredClone\(|queueMicrotask\(|new Intl\.|require\(|new WeakRef|WebAssembly\.|performance\.now)/g;

export function needsOf(source: string): Needs {
  const permissions = (Object.keys(signs) as (keyof typeof signs)[]).filter((name) => signs[name].test(source));
  const services = unique(source.matchAll(/\bhost(?:\.([A-Za-z]\w*)|\[["'`]([A-Za-z][\w.-]*)["'`]\])\(/g));
  const origins = permissions.includes('fetch')
    ? unique(source.matchAll(/["'`](https?:\/\/[A-Za-z0-9.-]+(?::\d+)?)(?=[/"'`?#])/g))
    : [];
  const absent = unique(source.matchAll(missing)).map((name) => name.replace(/^new /, '').replace(/[.(]$/, ''));
  return { permissions: services.length === 0 ? permissions : [...permissions, 'services'], services, origins, absent };
}

const unique = (matches: Iterable<RegExpMatchArray>): string[] => [
  ...new Set(Array.from(matches, (match) => match[1] ?? match[2] ?? '')),
];
