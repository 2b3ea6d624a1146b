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
  if (drive.test(text)) return fromDrive(text);
  if (/^[\\/]{2}/.test(text)) return dropped('not on this host');
  if (/^file:/i.test(text)) return fromUri(text, platform);
  return text.startsWith('/') && platform === 'posix' ? fromPath(text) : dropped('not a file URI or absolute path');
}

const drive = /^[a-z]:[\\/]/i;

const dropped = (reason: Dropped): Placed => ({ ok: false, reason });

function fromDrive(path: string): Placed {
  const forward = win32.normalize(path).replaceAll('\\', '/');
  return fromPath(`/${forward.slice(0, 1).toUpperCase()}${forward.slice(1)}`);
}

function fromPath(path: string): Placed {
  if (path.includes('\0')) return dropped('not a path');
  const resolved = posix.normalize(path);
  return { ok: true, uri: pathToFileURL(resolved, { windows: false }).href };
}

function fromUri(text: string, platform: Platform): Placed {
  if (/[?#]/.test(text)) return dropped('a query or fragment');
  if (!/^file:[\\/]/i.test(text)) return dropped('not a file URI or absolute path');
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return dropped('not a path');
  if (url.hostname !== '' || url.pathname.startsWith('//')) return dropped('not on this host');
  const path = decode(url.pathname);
  if (path === undefined) return dropped('not a path');
  if (/%(?:2f|00)/i.test(url.pathname)) return dropped('an encoded slash or NUL');
  const local = drive.test(path.slice(1)) || /^\/[a-z]:$/i.test(path);
  if ((local || platform === 'windows') && /%5c/i.test(url.pathname)) return dropped('an encoded slash or NUL');
  if (local) return fromDrive(path.length === 3 ? `${path.slice(1)}/` : path.slice(1));
  return platform === 'posix' ? fromPath(path) : dropped('not a file URI or absolute path');
}

/** Undefined for escapes that are no UTF-8. */
function decode(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}
