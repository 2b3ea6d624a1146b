/** A bare thread that sends back what it is sent: the least that leaving the main thread can cost. */
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', (message) => parentPort?.postMessage(message));
