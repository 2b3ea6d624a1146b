/**
 * What a piece of work costs when nothing else disturbs it, in milliseconds: the least of several runs, each the lesser of
 * wall time (which other processes stretch) and processor time (which the engine's own threads stretch).
 */
export function fastest(work: () => unknown, runs = 7): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const [started, used] = [performance.now(), process.cpuUsage()];
    work();
    const { user, system } = process.cpuUsage(used);
    best = Math.min(best, performance.now() - started, (user + system) / 1000);
  }
  return best;
}
