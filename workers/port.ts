/**
 * A thread's lasting port to the host, made when the thread starts: tasks come in, replies go out, and host calls, output and
 * reports share their order.
 */
import { MessageChannel, parentPort } from 'node:worker_threads';
import { agreeToClaims, takeClaim } from '../src/contract/claim.js';
import {
  type CallTask,
  type FromLanes,
  type FromRunner,
  type LoadTask,
  packReply,
  type Reply,
  type ToRunner,
} from '../src/contract/messages.js';

/** What is behind the port. */
export interface Desk {
  perform(task: CallTask): Promise<Reply> | Reply;
  receive(message: ToRunner): void;
}

export interface Port {
  send(message: FromRunner | FromLanes): void;
  /** From now on a task can be taken back as long as it has not begun. */
  agree(task: LoadTask): void;
}

export function openPort({ perform, receive }: Desk): Port {
  const { port1: up, port2: port } = new MessageChannel();
  parentPort?.postMessage({ port: up }, [up]);
  let claim: Int32Array | undefined;

  port.on('message', (message: ToRunner | CallTask) => {
    if (message.type !== 'run') receive(message);
    else if (claim === undefined || takeClaim(claim, message.run)) answer(message);
    else tell({ type: 'skipped' });
  });
  // The task in hand keeps the thread alive, this port need not.
  port.unref();

  /** No promise of its own on the way: with async context on, each one costs. */
  function answer(task: CallTask): void {
    const reply = perform(task);
    if (reply instanceof Promise) void reply.then(tell);
    else tell(reply);
  }

  /** Text needs no name: nothing else that leaves by this port is text. */
  function tell(reply: Reply): void {
    const packed = packReply(reply);
    port.postMessage(typeof packed === 'string' ? packed : { type: 'reply', reply: packed });
  }

  return {
    send: (message) => port.postMessage(message),
    agree(task) {
      claim = task.claim;
      if (claim !== undefined) agreeToClaims(claim);
    },
  };
}
