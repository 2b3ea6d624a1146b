import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { permissionFlags } from '../../src/isolation/permission.js';

const entry = new URL('./confined.worker.js', import.meta.url);

function said(execArgv: readonly string[]): Promise<unknown> {
  const worker = new Worker(entry, { execArgv: [...execArgv], env: {} });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
}

const here = new URL('..', import.meta.url).pathname;

test('a thread without the permission model refuses to load a plugin', async () => {
  assert.match(String(await said([])), /the permission model does not hold in this thread/);
});

test('a thread that may write files, or start others, refuses to load a plugin', async () => {
  assert.match(
    String(await said([...permissionFlags({ network: false, folders: [here] }), '--allow-fs-write=*'])),
    /has the permission "fs.write"/,
  );
  assert.match(
    String(await said([...permissionFlags({ network: false, folders: [here] }), '--allow-child-process'])),
    /has the permission "child"/,
  );
  assert.match(
    String(await said([...permissionFlags({ network: false, folders: [here] }), '--allow-worker'])),
    /has the permission "worker"/,
  );
});

test('in a confined thread the permission model holds: no reading elsewhere, no writing, no threads, no programs', async () => {
  assert.deepEqual(await said(permissionFlags({ network: false, folders: [here] })), {
    'read elsewhere': 'ERR_ACCESS_DENIED',
    write: 'ERR_ACCESS_DENIED',
    thread: 'ERR_ACCESS_DENIED',
    program: 'ERR_ACCESS_DENIED',
  });
});

test('the network is open where it was granted: from Node 25 on the model asks for a flag of its own, which older ones do not know', () => {
  const asks = process.allowedNodeEnvironmentFlags.has('--allow-net');
  assert.equal(permissionFlags({ network: true }).includes('--allow-net'), asks);
  assert.equal(permissionFlags({ network: false }).includes('--allow-net'), false);
});
