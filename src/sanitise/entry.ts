/**
 * Log messages, other notifications and a server's own description, as callbacks and subscribers get them (behaviours 53, 54, 56).
 *
 * A log entry keeps `level`, `logger` and `data`, every string through the text rule. Another notification keeps its shape:
 * its strings may be ids and URIs, so they are never cut, only rid of unsafe code points. Both are plain data, at most
 * 16 levels deep, 10 000 nodes and 256 KiB of JSON; what lies beyond is left out. Nothing here throws.
 */
import type { Implementation, JsonObject, LogEntry, LogLevel } from '../contract/handler.js';
import { type Bounds, plainCopy } from './plain.js';
import { cleanText, fullEffort, stripUnsafe } from './text.js';

const maxLabel = 200;
const maxText = 4096;
const maxBytes = 256 * 1024;
/** `{"level":"emergency","logger":"","data":}` and the longest logger, each grapheme at its four bytes. */
const envelopeBytes = 64 + maxLabel * 8;

/** All texts of one entry share it, so that an entry of sixteen awkward ones costs no more than one. Refilled for each. */
const effort = { doubts: fullEffort };

const entryBounds: Bounds = {
  depth: 16,
  nodes: 10_000,
  bytes: maxBytes - envelopeBytes,
  text: (text) => cleanText(text, maxText, effort),
  key: (text) => cleanText(text, maxLabel, effort),
};

/** A text that cannot fit is not read. */
const prose = (text: string): string => (text.length > maxBytes ? text : stripUnsafe(text).text);

const notificationBounds: Bounds = { depth: 16, nodes: 10_000, bytes: maxBytes, text: prose, key: prose };

/** The eight of RFC 5424, the least urgent first. */
export const logLevels: readonly LogLevel[] = Object.freeze([
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const);

const levels: ReadonlySet<unknown> = new Set(logLevels);

/** From the params of `notifications/message`. A level outside the eight of RFC 5424 is `info`; missing data is null. */
export function cleanEntry(params: unknown): LogEntry {
  const { level, logger, data } = fields(params);
  const known = levels.has(level) ? (level as LogLevel) : 'info';
  effort.doubts = fullEffort;
  const kept = plainCopy(data, entryBounds);
  return typeof logger === 'string'
    ? { level: known, logger: cleanText(logger, maxLabel), data: kept }
    : { level: known, data: kept };
}

/** From the params of any other notification; undefined where they are no object. */
export function cleanNotification(params: unknown): JsonObject | undefined {
  const kept = plainCopy(params, notificationBounds);
  return typeof kept === 'object' && kept !== null && !Array.isArray(kept) ? (kept as JsonObject) : undefined;
}

/** From what a server says about itself, which a person may read; null where that is no name and version, or far too much. */
export function cleanImplementation(value: unknown): Implementation | null {
  const { name, version, title, ...rest } = cleanNotification(value) ?? {};
  if (typeof name !== 'string' || typeof version !== 'string') return null;
  const line = typeof title === 'string' ? { title: cleanText(title) } : {};
  return { name: cleanText(name), version: cleanText(version), ...line, ...rest };
}

/** The three own members, read once, or nothing where reading them fails. */
function fields(params: unknown): { level?: unknown; logger?: unknown; data?: unknown } {
  if (typeof params !== 'object' || params === null) return {};
  try {
    const { level, logger, data } = params as { level?: unknown; logger?: unknown; data?: unknown };
    return { level, logger, data };
  } catch {
    return {};
  }
}
