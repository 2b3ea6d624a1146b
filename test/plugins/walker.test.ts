import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { Walked } from './walker.worker.js';

const server = createServer((_, response) => response.end('{}'));
let origin: string;

before(async () => {
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

const walked = (): Promise<Walked> => {
  const worker = new Worker(new URL('./walker.worker.js', import.meta.url), { workerData: { origin }, env: {} });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
};

test('a walk over everything a plugin can name, read, call and construct reaches no host object and no byte array', async () => {
  const { reached, calls, leaks, known } = await walked();
  assert.deepEqual(leaks, []);
  assert.ok(reached > 500, `it reached ${reached} objects`);
  assert.ok(calls > 1000, `it made ${calls} calls`);
  const host = {
    process: 'host',
    console: 'host',
    'URL.prototype': 'host',
    'process.env': 'host',
    fetch: 'host',
    setTimeout: 'host',
  };
  const bytes = { buffer: 'bytes', Uint8Array: 'bytes', memory: 'bytes', TextEncoder: 'bytes' };
  assert.deepEqual(known, { ...host, ...bytes, Map: null, list: null }, 'the rule knows the host’s objects when it sees them');
});
