/**
 * Web origins, spelled one way. `data:`, `blob:` and the like have the origin `null` and are never one of these.
 */

/** The canonical spelling, or null for what is no http(s) origin. */
export function canonicalOrigin(text: string): string | null {
  try {
    const url = new URL(text);
    const web = url.protocol === 'https:' || url.protocol === 'http:';
    return web && url.username === '' && url.password === '' && `${url.origin}/` === url.href ? url.origin : null;
  } catch {
    return null;
  }
}
