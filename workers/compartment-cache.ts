/** A thread that locks its realm down once and posts the V8 code cache that this left behind. */
import { parentPort, workerData } from 'node:worker_threads';
import type { SesImage } from '../src/contract/plugin.js';
import { openRealm } from './compartment/realm.js';

parentPort?.postMessage(openRealm(workerData as SesImage).createCache());
