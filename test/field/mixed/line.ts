/** What the two eras of the mixed run share: a connection under load, and what is found about it at the end. */
import type { Client } from '@modelcontextprotocol/client';
import type { Bulkhead, Connection } from '../../../src/index.js';
import type { Chance } from './chance.js';

export interface Line {
  readonly name: string;
  readonly connection: Connection<Client>;
  /** Plays one call; rejects if it ends in a way it must not. */
  play(chance: Chance): Promise<void>;
  /** How many requests were sent to the host so far, and what is wrong with how they were answered. */
  asked(): number;
  faults(): readonly string[];
}

export interface Findings {
  readonly name: string;
  readonly asked: number;
  readonly faults: readonly string[];
  readonly outcomes: { readonly [outcome: string]: number };
  readonly calls: number;
  readonly running: number;
}

/** Errors that a call may end with here: its host gave it up, its time ran out, or a callback failed it. */
const expectedKinds: ReadonlySet<unknown> = new Set(['cancelled', 'timeout', 'input_handler']);

/** Makes a call that is sometimes given up by its caller, or has little time. */
export async function callSometimesInVain(
  connection: Connection<Client>,
  call: { readonly name: string; readonly arguments: Record<string, unknown> },
  chance: Chance,
): Promise<void> {
  const abort = new AbortController();
  const timer = chance.once(10) ? setTimeout(() => abort.abort(), chance.integer(20)) : undefined;
  const clocks = chance.once(20) ? { maxTotalTimeout: 1 + chance.integer(20) } : {};
  try {
    await connection.callTool(call, { signal: abort.signal, ...clocks });
  } catch (error) {
    if (!expectedKinds.has((error as { kind?: unknown }).kind)) throw error;
  } finally {
    clearTimeout(timer);
  }
}

export function findingsOf({ name, connection, asked, faults }: Line): Findings {
  const { calls, running, outcomes } = connection.stats();
  return { name, asked: asked(), faults: faults(), outcomes, calls, running };
}

export async function settled(lines: readonly Line[], bulkhead: Bulkhead): Promise<void> {
  const busy = () => lines.some(({ connection }) => connection.stats().running > 0) || bulkhead.stats().isolation[0]?.busy !== 0;
  while (busy()) await new Promise((resolve) => setTimeout(resolve, 20));
}
