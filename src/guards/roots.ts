/**
 * The roots a callback lists (behaviour 49): `file:` URIs on the local host, in one canonical spelling each.
 *
 * What cannot be told to a server safely is dropped, with one note that counts why: other schemes and hosts, shares, encoded
 * separators, queries. `.` and `..` are resolved, so that no traversal reaches the wire. Nothing touches the file system.
 */
import { isObject } from '../contract/form.js';
import type { JsonObject } from '../contract/handler.js';
import { isEncodable } from '../contract/unicode.js';
import { invalidResult, pass, type Verdict } from '../verdict.js';
import { type Dropped, type Platform, rootUri } from './place.js';

/** Behaviour 49. */
const maxRoots = 1000;
/** UTF-16 units; a path has 4 096 bytes at most. */
const maxUri = 16 * 1024;
/** Of a longer list the rest is not even read. */
const maxListed = 4 * maxRoots;

type Reason = Dropped | 'not a root' | 'not well-formed Unicode' | 'over the limit' | 'listed twice';

const localPlatform: Platform = process.platform === 'win32' ? 'windows' : 'posix';

export function releaseRoots(said: unknown, platform: Platform = localPlatform): Verdict<JsonObject> {
  if (!isObject(said) || !Array.isArray(said.roots)) return invalidResult('must be an object with a list of roots', '/roots');
  const kept = new Map<string, JsonObject>();
  const dropped = new Map<Reason, number>();
  const drop = (reason: Reason, count: number): unknown => dropped.set(reason, (dropped.get(reason) ?? 0) + count);
  for (const root of said.roots.slice(0, maxListed)) {
    const reason = keep(root, kept, platform);
    if (reason !== undefined) drop(reason, 1);
  }
  if (said.roots.length > maxListed) drop('over the limit', said.roots.length - maxListed);
  return pass({ roots: [...kept.values()] }, notes(dropped));
}

function keep(root: unknown, kept: Map<string, JsonObject>, platform: Platform): Reason | undefined {
  if (!isObject(root) || typeof root.uri !== 'string') return 'not a root';
  if (root.uri.length > maxUri) return 'over the limit';
  if (!isEncodable([root.uri, root.name])) return 'not well-formed Unicode';
  const place = rootUri(root.uri, platform);
  if (!place.ok) return place.reason;
  const { uri } = place;
  const key = uri.endsWith('/') ? uri.slice(0, -1) : uri; // one folder, with or without its last slash
  if (kept.has(key)) return 'listed twice';
  if (kept.size >= maxRoots) return 'over the limit';
  kept.set(key, typeof root.name === 'string' ? { uri, name: root.name } : { uri });
  return undefined;
}

/** A root listed twice is sent once, which nobody needs to hear of. */
function notes(dropped: ReadonlyMap<Reason, number>): readonly string[] {
  const told = [...dropped].filter(([reason]) => reason !== 'listed twice');
  if (told.length === 0) return [];
  const total = told.reduce((sum, [, count]) => sum + count, 0);
  return [`roots dropped: ${total} (${told.map(([reason, count]) => `${reason}: ${count}`).join(', ')})`];
}
