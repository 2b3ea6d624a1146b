/**
 * What a cell says beside its replies: host calls, printed lines, late failures.
 *
 * Everything is checked before it is believed. Invariant: the first message that the protocol does not foresee, or that goes
 * beyond what the runner would let pass, is a violation; after it nothing else of that cell is listened to.
 */
import { type FromRunner, type RunnerLimits, readFromRunner } from '../contract/messages.js';
import type { IsolationEvents } from './isolation.js';
import { blameFor, type Seat } from './seat.js';
import type { Services } from './services.js';

export interface Conversation {
  /** False for a violation. */
  hear(seat: Seat, data: unknown): boolean;
}

export function createConversation(
  services: Services,
  events: IsolationEvents,
  limits: RunnerLimits,
  retire: (seat: Seat) => void,
): Conversation {
  function hearOutput(seat: Seat, { run, stream, line }: Extract<FromRunner, { type: 'output' }>): boolean {
    const { job } = seat;
    // One line more than the cap says how many were left out.
    if (job !== undefined && job.run === run && ++job.lines > limits.lines + 1) return false;
    events.output({ serverId: blameFor(seat, run)?.serverId ?? null, stream, line });
    return true;
  }

  function hearStray(seat: Seat, message: Extract<FromRunner, { type: 'stray' }>): boolean {
    const blame = blameFor(seat, message.run);
    retire(seat);
    const { serverId, requestId, kind } = blame ?? { serverId: '', requestId: null, kind: null };
    events.stray({ serverId, requestId, kind, fault: message.fault });
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
        case 'call':
          // A callback that has ended gets no answer; its runner has told it so.
          return seat.job?.run !== message.run || services.call(seat.job, message, (answer) => seat.cell.send(answer));
        case 'drop':
          if (seat.job?.run === message.run) services.drop(seat.job, message.call);
          return true;
        default:
          return false;
      }
    },
  };
}
