/** `crypto.randomUUID` and `Math.random`. No `getRandomValues`: it would need byte arrays. */
import { randomUUID } from 'node:crypto';

const random = Math.random;

export function randomGlobals(): { crypto: object; Math: object } {
  const descriptors = Object.getOwnPropertyDescriptors(Math);
  const granted = Object.create(Object.prototype, { ...descriptors, random: { value: () => random() } }) as object;
  return { crypto: { randomUUID: () => randomUUID() }, Math: granted };
}
