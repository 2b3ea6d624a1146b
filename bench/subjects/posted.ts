/** The worker of the flood bench's baselines: notifications by plain messages, one acknowledgement a message. */
import { parentPort } from 'node:worker_threads';
import type { JsonObject } from '../../src/contract/handler.js';
import { handleNotification } from './pushed.js';

interface Posted {
  readonly method: string;
  readonly params: JsonObject;
}

parentPort?.on('message', async (batch: readonly Posted[]) => {
  for (const { method, params } of batch) await handleNotification(method, params);
  parentPort?.postMessage(batch.length);
});
