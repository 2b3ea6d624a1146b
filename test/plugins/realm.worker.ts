/** A thread that is a compartment's and nothing else: loads one plugin, runs calls one after another, posts what came of each. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { HandlerModule } from '../../src/contract/handler.js';
import type { PluginProgram } from '../../src/contract/plugin.js';
import { createProgram } from '../../workers/compartment/program.js';
import { openRealm } from '../../workers/compartment/realm.js';

export interface Call {
  readonly name: string;
  readonly args: readonly unknown[];
  readonly serverId?: string;
}
export type Said = { readonly value: unknown } | { readonly error: string };
export interface Report {
  readonly said: readonly Said[];
  readonly lines: readonly string[];
}

const { program, calls } = workerData as { program: PluginProgram; calls: readonly Call[] };
const lines: string[] = [];
const realm = openRealm({ source: readFileSync(createRequire(import.meta.url).resolve('ses'), 'utf8') });

function contextOf({ serverId = 'files' }: Call): object {
  const host = { echo: async (data: unknown) => ({ echo: data }), fail: async () => Promise.reject(new Error('no')) };
  let state: unknown = { count: 1 };
  const live = {
    signal: new AbortController().signal,
    host,
    state: { get: () => state, set: (next: unknown) => (state = next) },
  };
  return Object.assign(Object.create(live), { serverId, kind: 'roots', assigns: { a: 1 } });
}

async function answer(module: HandlerModule, call: Call): Promise<Said> {
  const callback = module[call.name as 'listRoots'] as unknown as (...args: unknown[]) => Promise<unknown>;
  try {
    return { value: JSON.parse(JSON.stringify(await callback(...call.args, contextOf(call))) ?? 'null') };
  } catch (error) {
    return { error: String((error as Error).message) };
  }
}

async function report(): Promise<Report> {
  try {
    const module = createProgram(realm, program, (stream, line) => lines.push(`${stream}: ${line}`));
    const said: Said[] = [];
    for (const call of calls) said.push(await answer(module, call));
    return { said, lines };
  } catch (error) {
    return { said: [{ error: `load: ${(error as Error).message}` }], lines };
  }
}

parentPort?.postMessage(await report());
