/**
 * The conversation with a plugin's child process. It hosts cells as threads and relays; each message names its cell. What is
 * inside `task`, `message`, `reply` and `data` is the same as in any other tier.
 *
 * What comes out is never believed: {@link readFromChild} checks the frame here, the dispatcher checks what is in it.
 */
import type { Fault } from './fault.js';
import { isFault, type RunnerTask, type ToRunner } from './messages.js';

export type ToThread =
  | { readonly type: 'run'; readonly task: RunnerTask }
  | { readonly type: 'send'; readonly message: ToRunner };

/** What every thread of the child is started with. */
export interface ChildSettings {
  readonly workerData: unknown;
  readonly execArgv: readonly string[];
  readonly resourceLimits: { readonly [name: string]: number };
}

export type ToChild =
  /** The first message. */
  | { readonly type: 'open'; readonly settings: ChildSettings }
  | { readonly type: 'start'; readonly cell: number }
  | (ToThread & { readonly cell: number })
  /** Whether this thread has notifications to run: it counts as running then. */
  | { readonly type: 'attend'; readonly cell: number; readonly atWork: boolean }
  | { readonly type: 'kill'; readonly cell: number };

export type FromChild =
  | { readonly type: 'reply'; readonly cell: number; readonly reply: unknown }
  | { readonly type: 'message'; readonly cell: number; readonly data: unknown }
  /** Its thread is busy with something else and had not begun this run; now it never will, and says so if it comes to it. */
  | { readonly type: 'stuck'; readonly cell: number; readonly run: number }
  /** A thread ended on its own. `gone` follows. */
  | { readonly type: 'died'; readonly cell: number; readonly memory: boolean; readonly fault: Fault }
  | { readonly type: 'gone'; readonly cell: number }
  /** Sent every {@link pulsePeriod} ms while tasks run: that the child answers, how active each thread was, and its size. */
  | { readonly type: 'pulse'; readonly active: readonly (readonly [cell: number, ms: number])[]; readonly resident: number };

export const pulsePeriod = 25;

const types: readonly unknown[] = ['reply', 'message', 'stuck', 'died', 'gone', 'pulse'] satisfies FromChild['type'][];

export function readFromChild(value: unknown): FromChild | undefined {
  const { type, cell, run, active, resident, fault } = (value ?? {}) as { [key: string]: unknown };
  if (!types.includes(type)) return undefined;
  if (type === 'pulse') return isActivity(active) && typeof resident === 'number' ? (value as FromChild) : undefined;
  if (!Number.isSafeInteger(cell)) return undefined;
  if (type === 'stuck' && !Number.isSafeInteger(run)) return undefined;
  return type === 'died' && !isFault(fault) ? undefined : (value as FromChild);
}

const isActivity = (value: unknown): boolean =>
  Array.isArray(value) && value.every((pair) => Array.isArray(pair) && typeof pair[1] === 'number');
