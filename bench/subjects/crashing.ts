/** A callback that takes the place it runs in down, as far as it can reach. */
import type { JsonObject } from '../../src/contract/handler.js';

export function handleSampling(params: JsonObject): JsonObject {
  if (params.crash !== true) return { role: 'assistant', content: { type: 'text', text: 'whole' }, model: 'bench' };
  (globalThis as { process?: { exit?: (code: number) => never } }).process?.exit?.(1);
  // In a compartment there is nothing to leave by: a heap that runs full ends the thread, or the process.
  const list: unknown[] = [];
  for (;;) list.push({ kept: [list.length] });
}
