/**
 * From all lanes to the one consumer and back: hands over batches, keeps the wall clock of what runs, and picks up the pieces
 * when the consumer dies. A connection whose items neither begin nor end is late too: something else blocks the worker.
 *
 *   absent ──first item──▶ starting ──▶ ready ──died──▶ dead ──resumed──▶ ready
 *      ▲                      │ could not start: again after a pause, as long as something waits
 *      └──────────────────────┘                                      (any) ──close──▶ closed
 *
 * Invariant: what began to run is never handed over twice; what did not is never lost to a death, and keeps its place.
 */
import type { Clock } from '../clock.js';
import type { Consumer, ConsumerDeath, ConsumerEvents, ConsumerItem, Fault } from '../isolation/isolation.js';
import { begin, finish, type Item, isReady, type Lane, nextBatch, recall, remove } from './lane.js';

/** How the item that ran ended. */
export type End =
  | { readonly type: 'delivered' }
  | { readonly type: 'failed'; readonly fault: Fault }
  /** `lost`: it ran beside the one that made the worker die. */
  | { readonly type: 'killed'; readonly reason: ConsumerDeath['reason'] };

export interface DeliverySettings {
  readonly clock: Clock;
  halted(): boolean;
  consumer(): Promise<Consumer>;
  ended(lane: Lane, item: Item, end: End): void;
  /** The consumer died, and something that ran with it. */
  died(death: ConsumerDeath): void;
  failed(error: unknown): void;
}

export interface Delivery {
  /** The lane has something to hand over. */
  wake(lane: Lane): void;
  /** The lane has been abandoned; if what it runs is all that runs, the consumer is killed for it. */
  forget(lane: Lane): void;
  close(): Promise<void>;
}

type State = { readonly at: 'absent' | 'starting' | 'closed' } | { readonly at: 'ready' | 'dead'; readonly consumer: Consumer };

/** It ended within the grace of its kill. */
const overtime: End = { type: 'killed', reason: 'timeout' };
const firstPause = 1000;
const longestPause = 30_000;

export function createDelivery({ clock, halted, consumer: start, ended, died, failed }: DeliverySettings): Delivery {
  const awake = new Set<Lane>();
  const out = new Map<number, Lane>();
  const running = new Set<Lane>();
  const late = new Set<Lane>();
  const timers = new Map<Lane, () => void>();
  let state: State = { at: 'absent' };
  let sequence = 0;
  let pause = firstPause;
  let scheduled = false;

  const events: ConsumerEvents = {
    started(number) {
      const lane = out.get(number);
      if (lane === undefined) return;
      begin(lane, clock.elapsed());
      running.add(lane);
    },
    done(number, fault) {
      const lane = out.get(number);
      if (lane === undefined) return;
      end(lane, late.delete(lane) ? overtime : fault === null ? { type: 'delivered' } : { type: 'failed', fault });
      wake(lane);
    },
    died(death) {
      if (state.at !== 'ready') return;
      state = { at: 'dead', consumer: state.consumer };
      if (running.size > 0) died(death);
      const blamed = death.blamed === null ? undefined : out.get(death.blamed);
      for (const lane of [...running]) end(lane, { type: 'killed', reason: reasonFor(lane, death, blamed) });
      for (const lane of new Set(out.values())) relapse(lane);
      out.clear();
      late.clear();
    },
    resumed() {
      if (state.at !== 'dead') return;
      state = { at: 'ready', consumer: state.consumer };
      schedule();
    },
  };

  function wake(lane: Lane): void {
    if (!isReady(lane)) return;
    awake.add(lane);
    schedule();
  }

  /** All that becomes deliverable within one turn goes out together. */
  function schedule(): void {
    if (scheduled || awake.size === 0) return;
    if (state.at === 'absent') open();
    if (state.at !== 'ready') return;
    scheduled = true;
    queueMicrotask(handOver);
  }

  function open(): void {
    state = { at: 'starting' };
    start().then(opened, notOpened);
  }

  function opened(consumer: Consumer): void {
    if (state.at === 'closed') return void consumer.close();
    state = { at: 'ready', consumer };
    pause = firstPause;
    consumer.listen(events);
    schedule();
  }

  function notOpened(error: unknown): void {
    if (state.at === 'closed') return;
    failed(error);
    clock.after(pause, () => {
      if (state.at !== 'starting') return;
      state = { at: 'absent' };
      schedule();
    });
    pause = Math.min(pause * 2, longestPause);
  }

  function handOver(): void {
    scheduled = false;
    if (state.at !== 'ready') return;
    const batch: ConsumerItem[] = [];
    for (const lane of awake) {
      for (const item of nextBatch(lane, clock.elapsed())) batch.push(address(lane, item));
      if (!timers.has(lane)) watch(lane, lane.settings.timeout);
    }
    awake.clear();
    if (batch.length > 0) deliver(state.consumer, batch);
  }

  function address(lane: Lane, item: Item): ConsumerItem {
    item.sequence = sequence++;
    out.set(item.sequence, lane);
    const { id: connectionId, context, busyTimeout } = lane.settings;
    const { kind, params } = item;
    return { sequence: item.sequence, connectionId, kind, params, context, busyTimeout: busyTimeout[kind] };
  }

  /** A batch that cannot be cloned goes out singly, so that only its culprit fails. */
  function deliver(consumer: Consumer, batch: readonly ConsumerItem[]): void {
    try {
      consumer.deliver(batch);
    } catch (error) {
      if (batch.length > 1) for (const item of batch) deliver(consumer, [item]);
      else reject(batch[0] as ConsumerItem, error);
    }
  }

  function reject(refused: ConsumerItem, error: unknown): void {
    const lane = out.get(refused.sequence);
    out.delete(refused.sequence);
    if (lane === undefined) return;
    let index = 0;
    while (lane.items.at(index)?.sequence !== refused.sequence) index++;
    ended(lane, remove(lane, index), { type: 'failed', fault: asFault(error) });
    wake(lane);
  }

  function end(lane: Lane, how: End): void {
    const item = finish(lane, clock.elapsed());
    running.delete(lane);
    out.delete(item.sequence);
    ended(lane, item, how);
  }

  function relapse(lane: Lane): void {
    recall(lane);
    if (isReady(lane)) awake.add(lane);
  }

  /** One timer a lane, set again for what is left: a timer an item would cost more than the item. */
  function watch(lane: Lane, ms: number): void {
    timers.set(
      lane,
      clock.after(ms, () => look(lane)),
    );
  }

  function look(lane: Lane): void {
    timers.delete(lane);
    if (lane.handed === 0) return;
    const left = lane.since + lane.settings.timeout - clock.elapsed();
    if (left > 0) watch(lane, left);
    else if (halted()) watch(lane, lane.settings.timeout);
    else expire(lane);
  }

  /** With a grace the callback may still tidy up; if it then ends by itself, nobody beside it is hurt. */
  function expire(lane: Lane): void {
    if (state.at !== 'ready') return;
    const { killGrace } = lane.settings;
    const first = lane.items.at(0)?.sequence ?? -1;
    if (lane.running && !late.has(lane) && killGrace > 0) {
      late.add(lane);
      state.consumer.abort(first, 'timeout');
      return watch(lane, killGrace);
    }
    if (lane.running) late.add(lane);
    state.consumer.kill('timeout', lane.running ? first : undefined);
  }

  function reasonFor(lane: Lane, death: ConsumerDeath, blamed: Lane | undefined): ConsumerDeath['reason'] {
    if (late.has(lane)) return 'timeout';
    const others = late.size > 0 || (blamed !== undefined && blamed !== lane);
    return others ? 'lost' : death.reason;
  }

  /** What runs keeps its clock, unless it runs alone: then nobody else is hurt by the kill. */
  function forget(lane: Lane): void {
    awake.delete(lane);
    for (const [number, owner] of out) if (owner === lane && lane.items.at(0)?.sequence !== number) out.delete(number);
    if (state.at !== 'ready') return;
    if (running.size === 1 && running.has(lane)) state.consumer.kill('closed');
    else state.consumer.forget(lane.settings.id);
  }

  async function close(): Promise<void> {
    const last = state;
    state = { at: 'closed' };
    for (const cancel of timers.values()) cancel();
    timers.clear();
    for (const lane of [...running]) end(lane, { type: 'killed', reason: 'closed' });
    if (last.at === 'ready' || last.at === 'dead') await last.consumer.close();
  }

  return { wake, forget, close };
}

const asFault = (error: unknown): Fault =>
  error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: 'the item could not be cloned' };
