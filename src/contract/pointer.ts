/** JSON Pointers (RFC 6901) to the spot of a fault. */

/** Each key is cut: longer ones nobody can read. */
const maxKey = 200;

export function pointer(...path: readonly (string | number)[]): string {
  return path.map((key) => `/${String(key).slice(0, maxKey).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
