/**
 * One spelling for a local folder: a `file:` URI or a plain absolute path in, a canonical URI out (behaviour 49; cases 79 to
 * 83). Pure, with the platform as an argument, so that Windows spellings are tested everywhere.
 *
 * A path that begins with a drive letter is a Windows one on any platform, and its letter is upper case: `file:///C:/temp`
 * for `C:\temp`, `file:///c%3A/temp` and `file:///c:/temp` alike. URIs go through their path and back, so that escapes are
 * canonical too.
 */
import { posix, win32 } from 'node:path';
import { pathToFileURL } from 'node:url';

export type Platform = 'posix' | 'windows';

export type Dropped =
  | 'not a file URI or absolute path'
  | 'not on this host'
  | 'an encoded slash or NUL'
  | 'a query or fragment'
  | 'not a path';

export type Placed = { readonly ok: true; readonly uri: string } | { readonly ok: false; readonly reason: Dropped };

export function rootUri(text: string, platform: Platform): Placed {
  if (text.includes('\0')) return dropped('not a path');
  if (/^\/?[a-z]:[\\/]/i.test(text))
    return fromPath(`/${win32.normalize(text.replace(/^\//, '')).replaceAll('\\', '/')}`, platform);
  if (/^[\\/]{2}/.test(text)) return dropped('not on this host');
  if (/^file:/i.test(text)) return fromUri(text, platform);
  return text.startsWith('/') ? fromPath(text, platform) : dropped('not a file URI or absolute path');
}

const dropped = (reason: Dropped): Placed => ({ ok: false, reason });

/** A path with forward slashes, as a URI has it: `/tmp/x` or `/C:/temp`. */
function fromPath(path: string, platform: Platform): Placed {
  const resolved = posix.normalize(path);
  const [, drive, rest = ''] = /^\/([a-z]):(\/.*)?$/is.exec(resolved) ?? [];
  if (drive !== undefined) return placed(`/${drive.toUpperCase()}:${rest || '/'}`);
  return platform === 'posix' ? placed(resolved) : dropped('not a file URI or absolute path');
}

const placed = (path: string): Placed => ({ ok: true, uri: pathToFileURL(path, { windows: false }).href });

function fromUri(text: string, platform: Platform): Placed {
  if (/[?#]/.test(text)) return dropped('a query or fragment');
  // The parser would take these out without a word, and name another folder.
  if (/\p{Cc}| $/u.test(text)) return dropped('not a path');
  if (!/^file:[\\/]/i.test(text)) return dropped('not a file URI or absolute path');
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return dropped('not a path');
  if (url.hostname !== '' || url.pathname.startsWith('//')) return dropped('not on this host');
  if (/%(?:2f|00)/i.test(url.pathname)) return dropped('an encoded slash or NUL');
  const path = decode(url.pathname);
  if (path === undefined) return dropped('not a path');
  const windows = platform === 'windows' || /^\/[a-z]:(?:[\\/]|$)/i.test(path);
  return windows && path.includes('\\') ? dropped('an encoded slash or NUL') : fromPath(path, platform);
}

/** Undefined for escapes that are no UTF-8. */
function decode(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}
