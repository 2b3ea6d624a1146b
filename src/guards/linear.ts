/** Patterns of a form on the main thread: run on a linear-time engine and on nothing else (behaviour 45, case 13). */
import { RE2JS } from 're2js';
import type { Matches } from '../contract/form.js';
import { createMatches } from '../contract/pattern.js';

export const matches: Matches = createMatches(RE2JS);
