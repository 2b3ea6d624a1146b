/**
 * A consumer without a thread: it keeps what it is handed, lane by lane, and runs nothing until a test says so. It obeys the
 * front of `src/isolation/isolation.ts`: in order, one at a time per connection, and what has begun is lost when it dies.
 */
import type { Consumer, ConsumerEvents, ConsumerItem, Fault } from '../../src/isolation/isolation.js';

export interface FakeConsumer extends Consumer {
  /** Sizes of the batches, in order. */
  readonly batches: number[];
  /** Everything that began, in order. */
  readonly begun: ConsumerItem[];
  readonly kills: string[];
  readonly aborts: number[];
  readonly listening: boolean;
  canBegin(connectionId: number): boolean;
  runs(connectionId: number): boolean;
  /** Begins the next item of a connection; it must not be running one. */
  begin(connectionId: number): ConsumerItem;
  finish(connectionId: number, fault?: Fault): void;
  /** Runs everything that is there, and what it makes the mailbox hand over, to the end. */
  drain(): Promise<void>;
  die(death: Parameters<ConsumerEvents['died']>[0]): void;
  resume(): void;
  say(): ConsumerEvents;
  readonly closed: boolean;
}

export function createFakeConsumer({ dieOnKill = true }: { readonly dieOnKill?: boolean } = {}): FakeConsumer {
  const lanes = new Map<number, { waiting: ConsumerItem[]; running: ConsumerItem | null }>();
  let events: ConsumerEvents | undefined;
  let closed = false;

  const laneOf = (id: number) => {
    const lane = lanes.get(id) ?? { waiting: [], running: null };
    lanes.set(id, lane);
    return lane;
  };
  const say = (): ConsumerEvents => {
    if (events === undefined) throw new Error('nobody listens');
    return events;
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  const fake: FakeConsumer = {
    batches: [],
    begun: [],
    kills: [],
    aborts: [],
    listen(listener) {
      events = listener;
    },
    deliver(items) {
      structuredClone(items);
      fake.batches.push(items.length);
      for (const item of items) laneOf(item.connectionId).waiting.push(item);
    },
    get listening() {
      return events !== undefined;
    },
    canBegin: (id) => laneOf(id).running === null && laneOf(id).waiting.length > 0,
    runs: (id) => laneOf(id).running !== null,
    begin(id) {
      const lane = laneOf(id);
      const item = lane.waiting.shift();
      if (item === undefined || lane.running !== null) throw new Error(`connection ${id} cannot begin`);
      lane.running = item;
      fake.begun.push(item);
      say().started(item.sequence);
      return item;
    },
    finish(id, fault) {
      const lane = laneOf(id);
      const item = lane.running;
      if (item === null) throw new Error(`connection ${id} runs nothing`);
      lane.running = null;
      say().done(item.sequence, fault ?? null);
    },
    async drain() {
      for (let moved = true; moved; await turn()) {
        moved = false;
        for (const [id, lane] of lanes) {
          if (lane.running === null && lane.waiting.length > 0) fake.begin(id);
          if (lane.running === null) continue;
          fake.finish(id);
          moved = true;
        }
      }
    },
    forget(id) {
      laneOf(id).waiting.length = 0;
    },
    abort: (sequence) => void fake.aborts.push(sequence),
    kill(reason) {
      fake.kills.push(reason);
      if (dieOnKill) fake.die({ reason, blamed: null });
    },
    die(death) {
      lanes.clear();
      say().died(death);
    },
    resume: () => say().resumed(),
    say,
    async close() {
      closed = true;
    },
    get closed() {
      return closed;
    },
  };
  return fake;
}
