/**
 * `assigns`: the host's own plain data that callbacks get with a request (behaviour 56). Checked and snapshotted when the call
 * starts, so that a mistake is an error there and a later change does no harm.
 */

import { isPlain, wrong } from '../checks.js';
import type { JsonObject } from '../contract/handler.js';

const maxBytes = 65_536;

export function snapshotAssigns(assigns: unknown): JsonObject | undefined {
  if (assigns === undefined) return undefined;
  if (typeof assigns !== 'object' || assigns === null || Array.isArray(assigns))
    wrong('assigns', 'an object of plain data', assigns);
  refuseOdd(assigns, 'assigns', new Set());
  const text = JSON.stringify(assigns);
  const size = Buffer.byteLength(text);
  if (size > maxBytes) wrong('assigns', `at most ${maxBytes} bytes of JSON`, `${size} bytes`);
  return deepFreeze(JSON.parse(text) as JsonObject);
}

/** JSON would drop or bend these silently. */
function refuseOdd(value: unknown, path: string, above: Set<object>): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) wrong(path, 'a finite number', value);
    return;
  }
  if (typeof value !== 'object') wrong(path, 'plain data', value);
  if (above.has(value)) wrong(path, 'plain data without cycles', value);
  if (!Array.isArray(value) && !isPlain(value)) wrong(path, 'plain data', value);
  above.add(value);
  for (const [key, item] of Object.entries(value)) if (item !== undefined) refuseOdd(item, `${path}.${key}`, above);
  above.delete(value);
}

function deepFreeze<T extends object>(value: T): T {
  for (const item of Object.values(value)) if (typeof item === 'object' && item !== null) deepFreeze(item);
  return Object.freeze(value);
}
