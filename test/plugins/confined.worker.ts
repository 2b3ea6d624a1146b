/** A thread that says whether it is confined, and if so, what it cannot do. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parentPort, Worker } from 'node:worker_threads';
import { requireConfinement } from '../../workers/compartment/confined.js';

function codeOf(work: () => unknown): string {
  try {
    work();
    return 'done';
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

function attempts(): object {
  return {
    'read elsewhere': codeOf(() => readFileSync('/etc/hostname')),
    write: codeOf(() => writeFileSync('/tmp/bulkhead-confined', 'x')),
    thread: codeOf(() => new Worker('', { eval: true })),
    program: codeOf(() => execFileSync('true')),
  };
}

try {
  requireConfinement();
  parentPort?.postMessage(attempts());
} catch (error) {
  parentPort?.postMessage((error as Error).message);
}
