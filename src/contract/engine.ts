/**
 * The linear-time engine where it can be had, for handler authors: loaded when the first pattern is judged, since it costs
 * ten milliseconds and most forms have none.
 *
 * Where there is no module loader (inside a compartment) or the engine is not installed (in a bundle), patterns are not
 * judged here; the answer guard judges them anyway.
 */

import type { Matches } from './form.js';
import { createMatches, type Engine } from './pattern.js';

let loaded: Matches | undefined;

export const linearMatches: Matches = (pattern, text) => {
  loaded ??= createMatches(load());
  return loaded(pattern, text);
};

function load(): Engine | null {
  try {
    const { createRequire } = process.getBuiltinModule('node:module');
    return (createRequire(import.meta.url)('re2js') as { RE2JS: Engine }).RE2JS;
  } catch {
    return null;
  }
}
