/**
 * Plays the acts one after the other, so that the records read in order, closes everything and counts what is left. It prints
 * one line an act while it runs; the rest is the report's.
 */
import type { Bulkhead, InputRecord } from '../../index.js';
import type { Terminal } from '../terminal.js';
import { type Act, actsFor, answersOf, type Servers } from './acts.js';
import { type Claim, claim } from './claims.js';
import { serveDesk } from './loopback.js';
import { createStage, type Stage } from './stage.js';
import { milliseconds } from './table.js';

export interface Played {
  readonly node: string;
  readonly records: readonly InputRecord[];
  readonly claims: readonly Claim[];
  readonly threadsLeft: number;
  readonly seconds: number;
}

export async function play(bulkhead: Bulkhead, { everything }: Pick<Servers, 'everything'>, terminal: Terminal): Promise<Played> {
  const began = performance.now();
  const stage = createStage(bulkhead);
  const loopback = await serveDesk();
  const claims: Claim[] = [];
  try {
    for (const act of actsFor(answersOf(bulkhead.capabilities), { everything, endpoint: loopback.url }))
      claims.push(...(await playAct(stage, act, terminal)));
  } finally {
    await stage.close();
    await loopback.close();
  }
  const threadsLeft = liveThreads();
  claims.push(claim('after closing, no worker thread is left', threadsLeft === 0, `${threadsLeft} in Node's own report`));
  const seconds = (performance.now() - began) / 1_000;
  return { node: process.version, records: stage.records, claims, threadsLeft, seconds };
}

/** An act that fails is a claim that does not hold, so that the report still shows what was asked and what became of it. */
async function playAct(stage: Stage, act: Act, { print, paint }: Terminal): Promise<readonly Claim[]> {
  const { about, target, options } = act;
  const began = performance.now();
  const line = (era: string) => {
    const spent = milliseconds(performance.now() - began);
    print(`  ${options.serverId.padEnd(14)}${era.padEnd(8)}${about} ${paint.dim(`(${spent})`)}`);
  };
  try {
    const connection = await stage.open(target, options);
    const claims = await act.play(stage, connection);
    line(connection.era ?? '');
    return claims;
  } catch (error) {
    line('failed');
    return [claim(`${options.serverId}: ${about}`, false, error instanceof Error ? error.message : String(error))];
  }
}

/** Worker threads of this process, as Node itself counts them. */
function liveThreads(): number {
  const report = process.report as { excludeNetwork?: boolean; getReport(): object };
  report.excludeNetwork = true;
  return (report.getReport() as { workers: readonly unknown[] }).workers.length;
}
