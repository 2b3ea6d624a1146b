/**
 * What the demo says it showed. A claim is a sentence, the measured fact behind it, and whether the fact bears it out: the tick
 * is computed, and the exit code is 0 only if every one of them is.
 */
import type { Paint, Terminal } from '../terminal.js';

export interface Claim {
  /** What is claimed, fit to be read after a tick. */
  readonly text: string;
  readonly holds: boolean;
  /** What was measured. */
  readonly fact: string;
}

export function claim(text: string, holds: boolean, fact: string): Claim {
  return { text, holds, fact };
}

/** Two lines a claim: the tick with the sentence, and what was measured. */
export function renderClaims(claims: readonly Claim[], { paint }: Pick<Terminal, 'paint'>): string {
  return claims.map((one) => `${tick(one, paint)} ${one.text}\n    ${paint.dim(one.fact)}`).join('\n');
}

function tick({ holds }: Claim, paint: Paint): string {
  return holds ? paint.green('  ✓') : paint.red('  ✗');
}
