/** The shortest of several runs in milliseconds: what the work costs when nothing else disturbs it. */
export function fastest(work: () => unknown, runs = 5): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const started = performance.now();
    work();
    best = Math.min(best, performance.now() - started);
  }
  return best;
}
