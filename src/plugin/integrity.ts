/**
 * Subresource integrity of a plugin's bytes. A hash beside the code proves that the two belong together; only the host's
 * lock file, which pins it, proves that they are the ones somebody looked at.
 */
import { createHash, timingSafeEqual } from 'node:crypto';

export type Algorithm = 'sha256' | 'sha384' | 'sha512';

/** `sha512-…` of `bytes`. */
export function integrityOf(bytes: Uint8Array, algorithm: Algorithm = 'sha512'): string {
  return `${algorithm}-${createHash(algorithm).update(bytes).digest('base64')}`;
}

/** Whether `bytes` are the ones that `integrity` names. */
export function isIntact(bytes: Uint8Array, integrity: string): boolean {
  const algorithm = integrity.slice(0, integrity.indexOf('-')) as Algorithm;
  const seen = Buffer.from(integrityOf(bytes, algorithm));
  const wanted = Buffer.from(integrity);
  return seen.length === wanted.length && timingSafeEqual(seen, wanted);
}
