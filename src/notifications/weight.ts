/**
 * About how many bytes of memory plain data takes, to bound what waits. Its JSON tells little: a server can make a megabyte of empty
 * objects out of thirty kilobytes.
 */
const perValue = 16;
const perContainer = 64;

/** Of data that has passed the sanitiser, so nothing is nested deeply. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return perValue + value.length * 2;
  if (typeof value !== 'object' || value === null) return perValue;
  let weight = perContainer;
  if (Array.isArray(value)) for (const item of value) weight += weightOf(item);
  else for (const key of Object.keys(value)) weight += weightOf(key) + weightOf((value as Record<string, unknown>)[key]);
  return weight;
}
