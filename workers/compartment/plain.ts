/**
 * What enters a compartment is plain data and nothing else: no byte array, no map, no class. One of those would hand its
 * constructor to the plugin. Long strings cost nothing here.
 */

/** Throws at the first value that JSON could not hold. */
export function requirePlain(value: unknown): void {
  walk(value, false);
}

/** The same, and nothing in it can be changed afterwards. */
export function freezePlain(value: unknown): void {
  walk(value, true);
}

function walk(value: unknown, freeze: boolean): void {
  if (typeof value === 'string') return;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'function' || typeof next === 'symbol' || typeof next === 'bigint') refuse();
    if (typeof next !== 'object' || next === null) continue;
    if (!isPlain(next)) refuse();
    if (freeze) Object.freeze(next);
    for (const key of Object.keys(next)) {
      const inner = (next as Record<string, unknown>)[key];
      if (typeof inner !== 'string') open.push(inner);
    }
  }
}

function refuse(): never {
  throw new Error('a callback’s argument is no plain data');
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || (Array.isArray(value) && prototype === Array.prototype);
}
