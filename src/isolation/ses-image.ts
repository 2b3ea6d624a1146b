/**
 * The text of `ses` and V8's code cache for it, made once a process in a thread of its own, so that every later thread starts in
 * half the time. Where the cache cannot be made, threads start without.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { SesImage } from '../contract/plugin.js';
import { ownFile } from './own-file.js';

let image: Promise<SesImage> | undefined;

export function sesImage(): Promise<SesImage> {
  image ??= makeImage();
  return image;
}

async function makeImage(): Promise<SesImage> {
  const file = ownFile('compartment-cache.js');
  const source = readFileSync(createRequire(import.meta.url).resolve('ses'), 'utf8');
  const options = { workerData: { source }, env: {}, execArgv: [] };
  const worker = new Worker(file, options);
  // Held until it has answered: whoever waits here may have nothing else that keeps the process open.
  return await new Promise((resolve) => {
    worker.once('message', (cache: Uint8Array) => resolve({ source, cache }));
    worker.once('error', () => resolve({ source }));
    worker.once('exit', () => resolve({ source }));
  });
}
