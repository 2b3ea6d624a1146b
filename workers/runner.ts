/**
 * The entry of a worker thread: Piscina hands it one task, which loads the handler module; callbacks come over a port.
 *
 * It imports the handler itself, inside a try: a Piscina whose own file fails to load leaves every later run unsettled. It depends
 * on nothing but `contract/`, since ajv would cost 100 ms of each start and the SDK 200.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { workerData } from 'node:worker_threads';
import type { Act } from '../src/contract/act.js';
import { type Fault, fault } from '../src/contract/fault.js';
import type { Reply, RunnerTask } from '../src/contract/messages.js';
import { openStage, type Stage } from '../src/contract/stage.js';
import { watchLateFailures } from './late.js';
import { captureOutput, type Output } from './output.js';
import { openPort } from './port.js';

const acts = new AsyncLocalStorage<Act>();
let stage: Stage | undefined;
let output: Output | undefined;
let running = 0;
let loading = false;
let failedLoading: Fault | undefined;

const { agree, send } = openPort({ perform, receive: (message) => stage?.receive(message) });

watchLateFailures({
  current: () => acts.getStore(),
  busy: () => running > 0,
  stray(run, found) {
    if (loading && run === null) failedLoading ??= found;
    else send({ type: 'stray', run, fault: found });
  },
  fell: (run, fault) => stage?.fell(run, fault) || send({ type: 'fell', run, fault }),
});

export default function perform(task: RunnerTask): Promise<Reply> | Reply {
  if (task.type === 'load') return load(task);
  if (stage === undefined) return { type: 'crashed', reason: 'load', fault: fault('LoadError', 'no module is loaded') };
  return stage.perform(task);
}

async function load(task: RunnerTask & { type: 'load' }): Promise<Reply> {
  if ((workerData as { confined?: true } | null)?.confined && !isConfined()) {
    return { type: 'crashed', reason: 'load', fault: fault('LoadError', "Node's permission model does not hold in its thread") };
  }
  agree(task);
  output = captureOutput(task.limits, send, () => acts.getStore());
  process.setSourceMapsEnabled(true);
  loading = true;
  const opened = await openStage(task, importModule, {
    send,
    within(act, fn) {
      running++;
      return acts.run(act, fn);
    },
    left(act) {
      running--;
      output?.close(act);
    },
  });
  // One turn, in which Node reports what the module left rejected.
  await new Promise((resolve) => setImmediate(resolve));
  loading = false;
  if (failedLoading !== undefined) return { type: 'crashed', reason: 'load', fault: failedLoading };
  stage = opened.stage;
  return opened.reply;
}

/** No document promises that a thread keeps the permissions it was started with. */
function isConfined(): boolean {
  const { permission } = process as { permission?: { has(scope: string): boolean } };
  return permission?.has('fs.write') === false;
}

/** CommonJS goes through `require`, which works inside an Electron archive where `import()` does not (case 120). */
async function importModule(url: string): Promise<unknown> {
  return url.endsWith('.cjs') ? createRequire(url)(fileURLToPath(url)) : await import(url);
}
