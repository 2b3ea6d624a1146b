/**
 * Plays rows of the containment table in child processes: several rows share a child, a row that may take its process along has
 * one of its own. A row whose child died has no result, and the rows after it go to another child.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { RowSetting, Seen } from './row.js';

const child = fileURLToPath(new URL('./child.js', import.meta.url));
const perChild = 12;
/** Longest a child may take altogether. */
const patience = 60_000;

type Alone = RowSetting & { readonly alone?: true };

export async function playRows<Row extends Alone>(rows: readonly Row[], atOnce = 2): Promise<[Row, Seen | undefined][]> {
  const batches = batchesOf(rows);
  const played = new Map<Row, Seen | undefined>();
  async function work(): Promise<void> {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      const seen = await playChild(batch);
      batch.slice(0, seen.length).forEach((row, index) => {
        played.set(row, seen[index]);
      });
      if (seen.length < batch.length) played.set(batch[seen.length] as Row, undefined);
      if (seen.length + 1 < batch.length) batches.push(batch.slice(seen.length + 1));
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  return rows.map((row) => [row, played.get(row)]);
}

function batchesOf<Row extends Alone>(rows: readonly Row[]): Row[][] {
  const together = rows.filter(({ alone }) => alone === undefined);
  const batches = rows.filter(({ alone }) => alone === true).map((row) => [row]);
  for (let from = 0; from < together.length; from += perChild) batches.push(together.slice(from, from + perChild));
  return batches;
}

/** The rows that came back, in order, before the child ended. */
function playChild(rows: readonly RowSetting[]): Promise<Seen[]> {
  return new Promise((resolve, reject) => {
    const settings = JSON.stringify(
      rows.map(({ act, limits, threads, beside, settle }) => ({ act, limits, threads, beside, settle })),
    );
    const running = spawn(process.execPath, [child, settings], {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
      env: { ...process.env, TABLE_SECRET: 'seen' },
    });
    const timer = setTimeout(() => running.kill('SIGKILL'), patience);
    let text = '';
    let stray = '';
    running.stdio[3]?.on('data', (chunk: Buffer) => {
      text += chunk;
    });
    running.stdout?.on('data', (chunk: Buffer) => {
      stray += chunk;
    });
    running.once('error', reject);
    running.once('close', () => {
      clearTimeout(timer);
      if (stray !== '') reject(new Error(`a callback reached the host's stdout: ${stray.slice(0, 200)}`));
      else
        resolve(
          text
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line) as Seen),
        );
    });
  });
}
