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

type Of<Type extends FromRunner['type']> = Extract<FromRunner, { type: Type }>;

export function createConversation(
  services: Services,
  events: IsolationEvents,
  limits: RunnerLimits,
  { retire, fell }: SeatSigns,
): Conversation {
  /** What no callback that runs can have said: a leftover says it now and then, a forger without end. */
  const late = (seat: Seat): boolean => ++seat.late <= limits.late;

  function hearOutput(seat: Seat, job: Job | undefined, { run, stream, line }: Of<'output'>): boolean {
    // One line more than the cap says how many were left out.
    if (job === undefined ? !late(seat) : ++job.lines > limits.lines + 1) return false;
    events.output({ serverId: blameFor(seat, run)?.serverId ?? null, stream, line });
    return true;
  }

  function hearStray(seat: Seat, message: Of<'stray'>): boolean {
    if (!late(seat)) return false;
    const blame = blameFor(seat, message.run);
    retire(seat);
    const { serverId, requestId, kind } = blame ?? { serverId: null, requestId: null, kind: null };
    events.stray({ serverId, requestId, kind, fault: message.fault });
    return true;
  }

  function hearCall(seat: Seat, job: Job | undefined, message: Of<'call'>): boolean {
    if (job?.ended === false) return services.call(job, message, (answer) => seat.cell.send(answer));
    // A callback that has ended gets no answer, its runner has told it so; one that was killed is in its grace.
    if (job !== undefined)
      seat.cell.send({ type: 'failed', call: message.call, name: 'AlreadySettled', message: 'the callback has been killed' });
    return late(seat);
  }

  function hearFall(seat: Seat, { run, fault }: Of<'fell'>): boolean {
    if (seat.job?.blame.run !== run) return late(seat);
    fell(seat, fault);
    return true;
  }

  return {
    hear(seat, data) {
      const message = readFromRunner(data, limits);
      if (message === undefined) return false;
      const job = jobAt(seat, message.run);
      switch (message.type) {
        case 'output':
          return hearOutput(seat, job, message);
        case 'stray':
          return hearStray(seat, message);
        case 'call':
          return hearCall(seat, job, message);
        case 'fell':
          return hearFall(seat, message);
        case 'drop':
          // It may have crossed the answer.
          return (job !== undefined && services.drop(job, message.call)) || late(seat);
      }
    },
  };
}
