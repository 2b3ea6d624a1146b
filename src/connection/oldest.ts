/** What is remembered under names that a server chooses is bounded. */

/** So many of one sort; the oldest is forgotten first. */
const most = 1_000;

/** Makes up for one that was added. */
export function forgetOldest(kept: Map<string, unknown> | Set<string>): void {
  const [oldest] = kept.keys();
  if (kept.size > most && oldest !== undefined) kept.delete(oldest);
}
