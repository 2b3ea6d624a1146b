/** Fresh processes, for what can only be measured once in each. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));

const scriptOf = (name: string): string => fileURLToPath(new URL(`./${name}.js`, import.meta.url));

/** What a module of this folder prints, as JSON. */
export async function printedBy(name: string, ...args: string[]): Promise<unknown> {
  const { stdout } = await run(process.execPath, ['--expose-gc', '--no-warnings', scriptOf(name), ...args], { cwd: root });
  return JSON.parse(stdout);
}

/** The same in a process that has one core; undefined where the system has no way to say so. */
export async function printedOnOneCore(name: string, ...args: string[]): Promise<unknown> {
  const core = firstCore();
  if (core === undefined) return undefined;
  const command = ['-c', core, process.execPath, '--no-warnings', scriptOf(name), ...args];
  try {
    const { stdout } = await run('taskset', command, { cwd: root });
    return JSON.parse(stdout);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The first core that this process may use, as Linux tells it. */
function firstCore(): string | undefined {
  try {
    return /^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1];
  } catch {
    return undefined;
  }
}

/** Milliseconds that `import()` of a specifier takes in a fresh process, and the resident bytes it adds. */
export async function importOf(specifier: string): Promise<{ readonly time: number; readonly memory: number }> {
  const script = `
    const memory = process.memoryUsage.rss(), before = performance.now();
    await import(${JSON.stringify(specifier)});
    console.log(JSON.stringify({ time: performance.now() - before, memory: process.memoryUsage.rss() - memory }));
    process.exit(0);`;
  const { stdout } = await run(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], { cwd: root });
  return JSON.parse(stdout);
}
