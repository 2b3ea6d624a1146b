/**
 * The waiting line of one connection: bounded, in order, one item running at a time.
 *
 *   items: [ running? | with the consumer … | here … ]      held: the last `list_changed` of each kind that found it full
 *            └──────────── handed ─────────┘
 *
 * Besides the one that runs, or is about to, at most `maxWaiting` items, or {@link maxWeight} of them, and {@link maxKinds} held ones
 * are kept; the rest are dropped and counted. Held items join the line, behind all others, as soon as there is room. Nothing here knows a consumer.
 */
import type { NotificationContextData } from '../contract/handler.js';
import type { DropCounter } from './drops.js';
import { createLine, type Line } from './line.js';
import { weightOf } from './weight.js';

export interface Item {
  readonly kind: 'notification' | 'log';
  readonly method: string;
  readonly params: unknown;
  /** About the bytes of memory it takes in the line. */
  weight: number;
  /** The number it was handed over under; a new one each time. */
  sequence: number;
}

export interface LaneSettings {
  readonly id: number;
  readonly context: NotificationContextData;
  readonly maxWaiting: number;
  readonly timeout: number;
  readonly killGrace: number;
  readonly busyTimeout: { readonly notification: number; readonly log: number };
}

export interface Lane {
  readonly settings: LaneSettings;
  readonly drops: DropCounter;
  readonly items: Line<Item>;
  readonly held: Map<string, Item>;
  /** Of all `items`. */
  weight: number;
  /** How many of `items`, from the front, are with the consumer. */
  handed: number;
  /** Whether the first item runs. */
  running: boolean;
  /** When it began, or else when the consumer last had nothing of this line or ended one, in elapsed ms. */
  since: number;
}

/** Kinds of `list_changed` that survive a flood side by side; the protocol knows three. */
const maxKinds = 16;
/** A thousand as heavy as they may be would take a gigabyte. */
const maxWeight = 32 * 2 ** 20;
/** Two batches: the consumer works on one while the other is on its way (singles are 25 times slower than batches of 32). */
const window = 64;
const batch = 32;

export function createLane(settings: LaneSettings, drops: DropCounter): Lane {
  return { settings, drops, items: createLine(), held: new Map(), weight: 0, handed: 0, running: false, since: 0 };
}

const hasRoom = (lane: Lane): boolean => lane.items.length <= lane.settings.maxWaiting && lane.weight < maxWeight;
const isChange = (method: string): boolean => method.endsWith('/list_changed');

/** Takes an item in, holds it, or drops it. */
export function take(lane: Lane, item: Item): void {
  if (hasRoom(lane)) append(lane, item);
  else if (isChange(item.method)) hold(lane, item);
  else lane.drops.count(item.method);
}

function append(lane: Lane, item: Item): void {
  item.weight = weightOf(item.params);
  lane.weight += item.weight;
  lane.items.push(item);
}

function hold(lane: Lane, item: Item): void {
  const replaces = lane.held.delete(item.method);
  if (replaces || lane.held.size >= maxKinds) lane.drops.count(item.method);
  if (lane.held.size < maxKinds) lane.held.set(item.method, item);
}

/** Whether there is something to hand over: not until half of what is out there has come back, so that items go in batches. */
export const isReady = (lane: Lane): boolean => lane.items.length > lane.handed && lane.handed <= window - batch;

/** The items to hand over now; they count as handed. */
export function nextBatch(lane: Lane, now: number): readonly Item[] {
  if (lane.handed === 0) lane.since = now;
  const items = lane.items.slice(lane.handed, lane.handed + batch);
  lane.handed += items.length;
  return items;
}

/** The first item begins to run. */
export function begin(lane: Lane, now: number): void {
  lane.running = true;
  lane.since = now;
}

/** The first item is over, one way or another. */
export function finish(lane: Lane, now: number): Item {
  lane.running = false;
  lane.since = now;
  return remove(lane, 0);
}

/** An item that was handed over leaves the line. */
export function remove(lane: Lane, index: number): Item {
  const item = lane.items.remove(index) as Item;
  lane.handed--;
  lane.weight -= item.weight;
  admitHeld(lane);
  return item;
}

/** The consumer is gone with everything it was handed: what had not begun is here again, in its old place. */
export function recall(lane: Lane): void {
  lane.handed = 0;
}

function admitHeld(lane: Lane): void {
  for (const [method, item] of lane.held) {
    if (!hasRoom(lane)) return;
    lane.held.delete(method);
    append(lane, item);
  }
}

/** Empties the line but for the item that runs; returns how many were given up. */
export function abandon(lane: Lane): number {
  const kept = lane.running ? 1 : 0;
  const given = lane.items.length - kept + lane.held.size;
  lane.items.cut(kept);
  lane.weight = lane.items.at(0)?.weight ?? 0;
  lane.handed = Math.min(lane.handed, kept);
  lane.held.clear();
  return given;
}
