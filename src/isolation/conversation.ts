/**
 * What a cell says beside its replies: host calls, printed lines, late failures.
 *
 * Everything is checked before it is believed. Invariant: the first message that the protocol does not foresee, or that goes
 * beyond what the runner would let pass, is a violation; after it nothing else of that cell is listened to.
 */
import type { Fault } from '../contract/fault.js';
import { type FromRunner, type RunnerLimits, readFromRunner } from '../contract/messages.js';
import type { IsolationEvents } from './isolation.js';
import { blameFor, type Job, jobAt, type Seat } from './seat.js';
import type { Services } from './services.js';

export interface Conversation {
  /** False for a violation. */
  hear(seat: Seat, data: unknown): boolean;
}

export interface SeatSigns {
  /** It must run nothing more. */
  retire(seat: Seat): void;
  /** What it runs failed outside its own promise. */
  fell(seat: Seat, fault: Fault): void;
}

export function createConversation(
  services: Services,
  events: IsolationEvents,
  limits: RunnerLimits,
  { retire, fell }: SeatSigns,
): Conversation {
  function hearOutput(seat: Seat, { run, stream, line }: Extract<FromRunner, { type: 'output' }>): boolean {
    const job = jobAt(seat, run);
    // One line more than the cap says how many were left out.
    if (job !== undefined && ++job.lines > limits.lines + 1) return false;
    events.output({ serverId: blameFor(seat, run)?.serverId ?? null, stream, line });
    return true;
  }

  function hearStray(seat: Seat, message: Extract<FromRunner, { type: 'stray' }>): boolean {
    // One more than the cap says that others were left out.
    if (++seat.strays > limits.strays + 1) return false;
    const blame = blameFor(seat, message.run);
    retire(seat);
    const { serverId, requestId, kind } = blame ?? { serverId: null, requestId: null, kind: null };
    events.stray({ serverId, requestId, kind, fault: message.fault });
    return true;
  }

  function hearCall({ cell }: Seat, job: Job, message: Extract<FromRunner, { type: 'call' }>): boolean {
    if (!job.ended) return services.call(job, message, (answer) => cell.send(answer));
    // Killed, and in its grace.
    cell.send({ type: 'failed', call: message.call, name: 'AlreadySettled', message: 'the callback has been killed' });
    return true;
  }

  return {
    hear(seat, data) {
      const message = readFromRunner(data, limits);
      switch (message?.type) {
        case 'output':
          return hearOutput(seat, message);
        case 'stray':
          return hearStray(seat, message);
        case 'call': {
          // A callback that has ended gets no answer; its runner has told it so.
          const job = jobAt(seat, message.run);
          return job === undefined || hearCall(seat, job, message);
        }
        case 'fell':
          if (seat.job?.blame.run === message.run) fell(seat, message.fault);
          return true;
        case 'drop': {
          const job = jobAt(seat, message.run);
          if (job !== undefined) services.drop(job, message.call);
          return true;
        }
        default:
          return false;
      }
    },
  };
}
