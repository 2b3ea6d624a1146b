/**
 * The consumer's half that runs beside the callbacks: items come in batches and run one at a time per connection, connections
 * side by side.
 *
 * An item is announced before it begins, so that what has begun is known whatever it does. A connection whose callbacks compute
 * lets the others' in between: after {@link turnLength} ms its next item waits for a turn of the event loop.
 */
import { type Fault, fault } from './fault.js';
import type { NotificationContextData } from './handler.js';
import {
  type CallTask,
  endedWell,
  type FromLanes,
  type ItemsMessage,
  type LaneItem,
  type Reply,
  type ToLanes,
} from './messages.js';

export interface Lanes {
  /** Returns what runs for a connection that is forgotten, as it should be told. */
  receive(message: ToLanes): number | undefined;
}

interface Lane {
  readonly context: NotificationContextData;
  readonly waiting: LaneItem[];
  /** The item in hand, while there is one or the lane pauses behind it. */
  running: number | undefined;
}

/** Several times what a turn of the loop costs, and little against what a callback may take. */
const turnLength = 5;

/** `now` reads monotonic milliseconds. */
export function createLanes(
  perform: (task: CallTask) => Promise<Reply>,
  send: (message: FromLanes) => void,
  now: () => number = () => performance.now(),
): Lanes {
  const lanes = new Map<number, Lane>();
  let working = 0;
  let stopping = false;

  async function work(lane: Lane): Promise<void> {
    working++;
    let turn = now();
    for (let item = next(lane); item !== undefined; item = next(lane)) {
      const { sequence: run, kind, params } = item;
      lane.running = run;
      send(run);
      const found = faultOf(await perform({ type: 'run', run, kind, params, context: lane.context, state: undefined }));
      const pausing = now() - turn >= turnLength;
      if (found !== undefined) send({ type: 'fault', run, fault: found });
      else if (pausing || stopping || lane.waiting.length === 0) send(endedWell(run));
      if (!pausing) continue;
      await nextTurn();
      turn = now();
    }
    lane.running = undefined;
    working--;
    if (stopping && working === 0) send({ type: 'stopped' });
  }

  const next = (lane: Lane): LaneItem | undefined => (stopping ? undefined : lane.waiting.shift());

  function take({ items, contexts }: ItemsMessage): void {
    for (const [connection, context] of contexts) lanes.set(connection, { context, waiting: [], running: undefined });
    const idle = new Set<Lane>();
    for (const item of items) {
      const lane = lanes.get(item.connection);
      if (lane === undefined) continue;
      lane.waiting.push(item);
      if (lane.running === undefined) idle.add(lane);
    }
    if (!stopping) for (const lane of idle) void work(lane);
  }

  function forget(connection: number): number | undefined {
    const lane = lanes.get(connection);
    lanes.delete(connection);
    if (lane !== undefined) lane.waiting.length = 0;
    send({ type: 'forgot', connection });
    return lane?.running;
  }

  function stop(): void {
    stopping = true;
    if (working === 0) send({ type: 'stopped' });
  }

  return {
    receive(message) {
      if (message.type === 'forget') return forget(message.connection);
      if (message.type === 'items') take(message);
      else stop();
      return undefined;
    },
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What a notification callback returns is nobody's concern; what it throws is. */
function faultOf(reply: Reply): Fault | undefined {
  if (reply.type === 'refused') return fault('Refusal', 'a notification cannot be refused');
  return reply.type === 'crashed' && reply.reason !== 'result' && reply.reason !== 'size' ? reply.fault : undefined;
}
