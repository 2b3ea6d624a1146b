/**
 * The entry of a worker thread: Piscina hands it one task, which loads the handler module; callbacks come over a port.
 *
 * It imports the handler itself, inside a try: a Piscina whose own file fails to load leaves every later run unsettled. It depends
 * on nothing but `contract/`, since ajv would cost 100 ms of each start and the SDK 200.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { workerData } from 'node:worker_threads';
import { type Fault, fault } from '../src/contract/fault.js';
import type { LoadTask, Reply, RunnerTask } from '../src/contract/messages.js';
import { createPerformer, type Open, type Opened, type Performer } from './performer.js';
import { openPort } from './port.js';

let loading = false;
let failedLoading: Fault | undefined;

const { agree, send } = openPort({ perform, receive: (message) => performer.receive(message) });
const performer: Performer = createPerformer({
  send,
  load,
  stray(run, found) {
    if (loading && run === null) failedLoading ??= found;
    else send({ type: 'stray', run, fault: found });
  },
});

export default function perform(task: RunnerTask): Promise<Reply> | Reply {
  return performer.perform(task);
}

async function load(task: LoadTask, open: Open): Promise<Opened> {
  if ((workerData as { confined?: true } | null)?.confined && !isConfined())
    return failed(fault('LoadError', "Node's permission model does not hold in its thread"));
  agree(task);
  process.setSourceMapsEnabled(true);
  loading = true;
  const opened = await open(task, importModule);
  // One turn, in which Node reports what the module left rejected.
  await new Promise((resolve) => setImmediate(resolve));
  loading = false;
  return failedLoading === undefined ? opened : failed(failedLoading);
}

function failed(found: Fault): Opened {
  return { reply: { type: 'crashed', reason: 'load', fault: found } };
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
