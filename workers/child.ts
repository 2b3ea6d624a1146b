/**
 * A plugin's child process: it starts threads, relays between them and the host, and says every few milliseconds that it is
 * alive. It runs nothing of the plugin itself.
 *
 * It ends with its host: when the channel closes it kills itself, since an exit would wait for threads that cannot be stopped.
 */
import { Worker } from 'node:worker_threads';
import { type ChildSettings, type FromChild, pulsePeriod, type ToChild } from '../src/contract/child.js';
import { type Claim, createClaim } from '../src/contract/claim.js';
import { toFault } from '../src/contract/fault.js';
import type { RunnerTask } from '../src/contract/messages.js';

const entry = new URL('./compartment-thread.js', import.meta.url);
/** Beats after which a run that has not begun, on a thread that is busy all the while, is taken back. */
const patience = 3;

interface Thread {
  readonly worker: Worker;
  readonly claim: Claim;
  /** The run in hand, and the thread's active time when it was handed over. */
  handed: { readonly run: number; readonly active: number; beats: number } | undefined;
}

const threads = new Map<number, Thread>();
const running = new Set<number>();
let settings: ChildSettings;
let pulse: NodeJS.Timeout | undefined;
let idleBeats = 0;

const send = (message: FromChild): void => void process.send?.(message);

function start(cell: number): void {
  const { workerData, execArgv, resourceLimits } = settings;
  const options = {
    workerData,
    execArgv: [...execArgv],
    resourceLimits: { ...resourceLimits },
    env: {},
    stdout: true,
    stderr: true,
  };
  const worker = new Worker(entry, options);
  const thread: Thread = { worker, claim: createClaim(), handed: undefined };
  threads.set(cell, thread);
  worker.on('message', (message: { type: 'reply' | 'message' }) => {
    if (message.type === 'reply') {
      running.delete(cell);
      thread.handed = undefined;
    }
    send({ ...message, cell } as FromChild);
  });
  worker.on('error', (error: NodeJS.ErrnoException) => {
    send({ type: 'died', cell, memory: error.code === 'ERR_WORKER_OUT_OF_MEMORY', fault: toFault(error) });
  });
  worker.on('exit', () => {
    threads.delete(cell);
    running.delete(cell);
    send({ type: 'gone', cell });
  });
}

const activeTime = ({ worker }: Thread): number => worker.performance.eventLoopUtilization().active;

function hand(thread: Thread, task: RunnerTask): void {
  if (task.type === 'run') {
    thread.claim.offer(task.run);
    thread.handed = { run: task.run, active: activeTime(thread), beats: 0 };
  }
  thread.worker.postMessage({ type: 'run', task: task.type === 'load' ? { ...task, claim: thread.claim.word } : task });
}

/** What an earlier callback left behind must not cost the next one its time. */
function lookAfter(cell: number, thread: Thread, active: number): void {
  const { handed } = thread;
  if (handed === undefined || ++handed.beats !== patience || active - handed.active <= pulsePeriod) return;
  if (thread.claim.revoke(handed.run)) send({ type: 'stuck', cell, run: handed.run });
}

/** It beats on for a while when nothing runs any more: a callback may have left something behind. */
function beat(): void {
  idleBeats = running.size > 0 ? 0 : idleBeats + 1;
  if (idleBeats > 4) {
    clearInterval(pulse);
    pulse = undefined;
    return;
  }
  const active = [...threads].map(([cell, thread]) => [cell, activeTime(thread)] as const);
  for (const [cell, ms] of active) lookAfter(cell, threads.get(cell) as Thread, ms);
  send({ type: 'pulse', active, resident: process.memoryUsage.rss() });
}

process.on('message', (message: ToChild) => {
  switch (message.type) {
    case 'open':
      settings = message.settings;
      return;
    case 'start':
      return start(message.cell);
    case 'run':
      running.add(message.cell);
      pulse ??= setInterval(beat, pulsePeriod);
      if (threads.has(message.cell)) hand(threads.get(message.cell) as Thread, message.task);
      return;
    case 'attend':
      if (message.atWork) running.add(message.cell);
      else running.delete(message.cell);
      if (message.atWork) pulse ??= setInterval(beat, pulsePeriod);
      return;
    case 'send':
      threads.get(message.cell)?.worker.postMessage({ type: 'send', message: message.message });
      return;
    case 'kill':
      void threads.get(message.cell)?.worker.terminate();
  }
});

const leave = (): boolean => process.kill(process.pid, 'SIGKILL');
process.on('disconnect', leave);
// The host may have gone before this file was read.
if (!process.connected) leave();
// The host decides when a key press in its terminal ends it.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
