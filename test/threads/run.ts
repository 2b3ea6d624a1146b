/**
 * Runs a compiled script of this folder in a process of its own.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Resolves when the process has ended; it is killed after `patience` ms, and then `signal` says so. */
export function runScript(name: string, args: readonly string[] = [], patience = 60_000): Promise<Ran> {
  const path = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
  const child = spawn(process.execPath, ['--expose-gc', '--no-warnings', path, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), patience);
  const out = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (chunk: Buffer) => {
      out[stream] += chunk;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, ...out });
    });
  });
}
