/**
 * What enters a compartment is plain data and nothing else: no byte array, no map, no class. One of those would hand its
 * constructor to the plugin. Long strings cost nothing here.
 */

/** Throws at the first value that JSON could not hold. */
export function requirePlain(value: unknown): void {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'function' || typeof next === 'symbol' || typeof next === 'bigint')
      throw new Error('a callback’s argument is no plain data');
    if (typeof next !== 'object' || next === null) continue;
    if (!isPlain(next)) throw new Error('a callback’s argument is no plain data');
    for (const key of Object.keys(next)) open.push((next as Record<string, unknown>)[key]);
  }
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || (Array.isArray(value) && prototype === Array.prototype);
}
