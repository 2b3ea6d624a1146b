/**
 * The legacy tasks that live: from the answer that creates one to the first sign of its end (behaviours 13, 29). They count as calls
 * in flight.
 */
import { legacyTaskIn } from '../era/tasks.js';
import { forgetOldest } from './oldest.js';
import type { Params, RpcRequest } from './wire.js';

export interface LegacyTasks {
  readonly size: number;
  has(taskId: string): boolean;
  /** Learns from the answer to a request of ours. */
  answered(request: RpcRequest, result: Params): void;
  /** Learns from a status notice, which can only end one. */
  noticed(params: unknown): void;
  clear(): void;
}

export function createLegacyTasks(): LegacyTasks {
  const live = new Set<string>();

  function remember(taskId: string): void {
    live.delete(taskId);
    live.add(taskId);
    forgetOldest(live);
  }

  return {
    get size() {
      return live.size;
    },
    has: (taskId) => live.has(taskId),
    answered({ method, params }, result) {
      const task = legacyTaskIn(result);
      // Only a call that asked for a task can get one, and only a poll tells of an older one: anything else is a claim.
      const ours = params?.task !== undefined || params?.taskId === task?.taskId;
      if (task?.alive === true && ours) remember(task.taskId);
      else if (task?.alive === false) live.delete(task.taskId);
      else if (method === 'tasks/result') live.delete(String(params?.taskId));
    },
    noticed(params) {
      const task = legacyTaskIn(params);
      if (task?.alive === false) live.delete(task.taskId);
    },
    clear: () => live.clear(),
  };
}
