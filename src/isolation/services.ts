/**
 * Host services, main-thread side: a callback's call comes in, the service runs here, its answer goes back.
 *
 * Refuses more calls than the runner would let pass: a runner that sends them is not ours any more, and its cell ends.
 * Invariant: a service's signal fires when nobody waits for it, and an answer after that goes nowhere. Of an error only name
 * and message reach the callback.
 */
import { fault, toFault } from '../contract/fault.js';
import type { FromRunner, RunnerLimits, ToRunner } from '../contract/messages.js';
import { encode } from '../contract/plain.js';
import type { HostServiceTable } from './isolation.js';
import type { Job } from './seat.js';

export interface Services {
  readonly names: readonly string[];
  /** Starts a service for a job that is running. False where the call breaks the rules. */
  call(job: Job, message: Extract<FromRunner, { type: 'call' }>, send: (message: ToRunner) => void): boolean;
  /** The callback gave up waiting. False where nobody waited. */
  drop(job: Job, call: number): boolean;
}

export function createServices(table: HostServiceTable, limits: RunnerLimits): Services {
  const names = Object.keys(table);
  return {
    names,
    call(job, { call, name, json }, send) {
      job.calls ??= new Map();
      const refused = job.calls.size >= limits.callsAtOnce || ++job.callCount > limits.calls || job.calls.has(call);
      if (refused || !names.includes(name)) return false;
      let data: unknown;
      try {
        data = json === undefined ? undefined : JSON.parse(json);
      } catch {
        return false;
      }
      const controller = new AbortController();
      job.calls.set(call, controller);
      void serve(job, name, data, controller.signal).then((answer) => {
        if (job.calls?.delete(call)) send({ ...answer, call });
      });
      return true;
    },
    drop(job, call) {
      job.calls?.get(call)?.abort(new Error('the callback gave the call up'));
      return job.calls?.delete(call) === true;
    },
  };

  type Answer = { type: 'answer'; json: string | undefined } | { type: 'failed'; name: string; message: string };

  async function serve(job: Job, name: string, data: unknown, signal: AbortSignal): Promise<Answer> {
    try {
      const { serverId, requestId, kind } = job.blame;
      const answer = encode(await table[name]?.(data, { signal, serverId, requestId, kind }), limits.bytes);
      if (answer.ok) return { type: 'answer', json: answer.json };
      const message = `service "${name}" answered no plain data at "${answer.path}": ${answer.found}`;
      return { type: 'failed', name: 'TypeError', message };
    } catch (error) {
      return { type: 'failed', ...namesOf(error) };
    }
  }
}

/** Whatever a service throws: an error whose parts throw when they are read must not hurt the host. */
function namesOf(thrown: unknown): { name: string; message: string } {
  const { name, message } = isError(thrown) ? toFault(thrown) : fault('Error', 'the service failed');
  return { name, message };
}

function isError(value: unknown): boolean {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}
