/**
 * A plugin's child process: it starts threads, relays between them and the host, and says every few milliseconds that it is
 * alive. It runs nothing of the plugin itself.
 *
 * It ends with its host: when the channel closes it kills itself, since an exit would wait for threads that cannot be stopped.
 */
import { Worker } from 'node:worker_threads';
import { type ChildSettings, type FromChild, pulsePeriod, type ToChild } from '../src/contract/child.js';
import { toFault } from '../src/contract/fault.js';

const entry = new URL('./compartment-thread.js', import.meta.url);
const threads = new Map<number, Worker>();
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
  const thread = new Worker(entry, options);
  threads.set(cell, thread);
  thread.on('message', (message: { type: 'reply' | 'message' }) => {
    if (message.type === 'reply') running.delete(cell);
    send({ ...message, cell } as FromChild);
  });
  thread.on('error', (error: NodeJS.ErrnoException) => {
    send({ type: 'died', cell, memory: error.code === 'ERR_WORKER_OUT_OF_MEMORY', fault: toFault(error) });
  });
  thread.on('exit', () => {
    threads.delete(cell);
    running.delete(cell);
    send({ type: 'gone', cell });
  });
}

/** It beats on for a while when nothing runs any more: a callback may have left something behind. */
function beat(): void {
  idleBeats = running.size > 0 ? 0 : idleBeats + 1;
  if (idleBeats > 4) {
    clearInterval(pulse);
    pulse = undefined;
    return;
  }
  const active = [...threads].map(([cell, thread]) => [cell, thread.performance.eventLoopUtilization().active] as const);
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
      threads.get(message.cell)?.postMessage({ type: 'run', task: message.task });
      return;
    case 'attend':
      if (message.atWork) running.add(message.cell);
      else running.delete(message.cell);
      if (message.atWork) pulse ??= setInterval(beat, pulsePeriod);
      return;
    case 'send':
      threads.get(message.cell)?.postMessage({ type: 'send', message: message.message });
      return;
    case 'kill':
      void threads.get(message.cell)?.terminate();
  }
});

const leave = (): boolean => process.kill(process.pid, 'SIGKILL');
process.on('disconnect', leave);
// The host may have gone before this file was read.
if (!process.connected) leave();
// The host decides when a key press in its terminal ends it.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
