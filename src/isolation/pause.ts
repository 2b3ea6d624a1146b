/** How long starting waits after starts that came to nothing: 0.1 s, twice as long after each further one, and never more than 5 s. */
export const firstPause = 100;
const longestPause = 5000;

/** In ms; `before` counts the pauses that came before it in a row. */
export function pauseAfter(before: number): number {
  return Math.min(longestPause, firstPause * 2 ** before);
}
