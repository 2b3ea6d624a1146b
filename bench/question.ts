/**
 * How a bench file asks its question. A file exports nothing and ends with `await ask({ … })`: run alone it measures and
 * prints its tables; the runner starts it as a process of its own, so that no question warms or fills another's heap, and
 * reads the answer as JSON.
 *
 *   node --expose-gc dist/bench/overhead.js [--smoke] [--json FILE]
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Answer, Section } from '../src/cli/measure/answer.js';
import { describeMachine, machineLine } from '../src/cli/measure/machine.js';
import { asMarkdown } from '../src/cli/measure/markdown.js';
import { openProgress, type Progress } from '../src/cli/measure/progress.js';

/** How hard to look. */
export interface Plan {
  /** Seconds, not minutes: everything runs once, nothing is believed. */
  readonly smoke: boolean;
  /** The first number in a full run, the second in a smoke run. */
  pick(full: number, smoke: number): number;
  readonly progress: Progress;
}

export interface Question {
  /** The file's own name. */
  readonly name: string;
  readonly title: string;
  answer(plan: Plan): Promise<Answer>;
}

export const checkout: string = fileURLToPath(new URL('../../', import.meta.url));

export async function ask(question: Question): Promise<void> {
  const { values } = parseArgs({ options: { smoke: { type: 'boolean', default: false }, json: { type: 'string' } } });
  const machine = describeMachine(checkout);
  console.error(`${question.name}: ${machineLine(machine)}`);
  const section = await answered(question, planned(values.smoke));
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(section));
  else
    console.log(
      asMarkdown({ title: question.title, machine, smoke: values.smoke, seconds: section.seconds, sections: [section] }),
    );
  // Threads and children of others' pools may linger; the answer is out.
  process.exit(section.failure === undefined ? 0 : 1);
}

async function answered({ answer, name, title }: Question, plan: Plan): Promise<Section> {
  const before = performance.now();
  const seconds = (): number => (performance.now() - before) / 1000;
  try {
    const said = await answer(plan);
    return { name, title, seconds: seconds(), ...said };
  } catch (error) {
    const failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
    console.error(`${name} failed: ${failure}`);
    return {
      name,
      title,
      seconds: seconds(),
      tables: [],
      charts: [],
      goals: [],
      notes: [],
      failure: failure.split('\n')[0] ?? '',
    };
  } finally {
    plan.progress('');
  }
}

function planned(smoke: boolean): Plan {
  return { smoke, pick: (full, least) => (smoke ? least : full), progress: openProgress() };
}

/** Collects garbage twice, where the process was started with `--expose-gc`; says so if not. */
export function collect(): void {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) throw new Error('memory figures need node --expose-gc');
  gc();
  gc();
}
