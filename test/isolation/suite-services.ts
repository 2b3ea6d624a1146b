/**
 * The rows of the callback suite about host services.
 */
import assert from 'node:assert/strict';
import type { Run, ServiceExtra } from '../../src/isolation/isolation.js';

export interface ServiceStand {
  row(name: string, body: () => Promise<void>): void;
  /** What a callback with these params returned. */
  valueFrom(params: unknown): Promise<unknown>;
  run(params: unknown): Run;
  nextCall(): Promise<ServiceExtra>;
}

export function serviceRows({ row, valueFrom, run, nextCall }: ServiceStand): void {
  row('a host service gets plain data and who is asking, and answers', async () => {
    assert.deepEqual(await valueFrom({ act: 'host', name: 'extra', data: { q: [1] } }), {
      answer: { data: { q: [1] }, serverId: 'files', requestId: 7, kind: 'elicitation', aborted: false },
    });
  });

  row('of an error of a service only name and message reach the callback', async () => {
    const seen = { name: 'RangeError', message: 'the dialog is gone' };
    const { keys, ...error } = (await valueFrom({ act: 'host', name: 'fails' })) as { keys: string[] };
    assert.deepEqual(error, seen);
    assert.ok(!keys.includes('secret') && !keys.includes('code'));
    assert.match(JSON.stringify(await valueFrom({ act: 'host', name: 'throwsNothing' })), /the service failed/);
  });

  row('a service may throw what cannot be read: the call rejects, and the host is not hurt', async () => {
    assert.match(JSON.stringify(await valueFrom({ act: 'host', name: 'throwsTrap' })), /the service failed/);
    assert.match(JSON.stringify(await valueFrom({ act: 'host', name: 'throwsUnreadable' })), /an object that is no error/);
  });

  const misuses: readonly [name: string, params: object, message: RegExp][] = [
    ['a service that is not registered', { name: 'dialog' }, /registered no such service/],
    ['a service named like a method of objects', { name: 'constructor' }, /registered no such service/],
    ['a service that answers no plain data', { name: 'unplain' }, /no plain data at "\/when"/],
    ['more data than allowed', { name: 'echo', data: 'x'.repeat(2 ** 20) }, /more data than allowed/],
  ];
  for (const [name, params, message] of misuses) {
    row(`context.host says what is wrong: ${name}`, async () => {
      const answer = (await valueFrom({ act: 'host', ...params })) as { message: string };
      assert.match(answer.message, message);
    });
  }

  row('context.host is no promise', async () => {
    assert.deepEqual(await valueFrom({ act: 'hostIsNoPromise' }), { same: true, looks: 'undefined' });
  });

  row('64 host calls at once are answered, the 65th is refused', async () => {
    assert.deepEqual(await valueFrom({ act: 'manyCalls', calls: 64 }), { answered: 64, reason: null });
    const { answered, reason } = (await valueFrom({ act: 'manyCalls', calls: 65 })) as { answered: number; reason: string };
    assert.equal(answered, 64);
    assert.match(reason, /more than 64 calls at once/);
  });

  row('a callback has 1 000 host calls, the next one has its own', async () => {
    const { answered, reason } = (await valueFrom({ act: 'callsInARow', calls: 1001 })) as { answered: number; reason: string };
    assert.equal(answered, 1000);
    assert.match(reason, /more than 1000 calls of one callback/);
    assert.deepEqual(await valueFrom({ act: 'callsInARow', calls: 2 }), { answered: 2, reason: null });
  });

  row('a callback may set a host call a time of its own: it rejects, and the signal of the service fires', async () => {
    const called = nextCall();
    const { name } = (await valueFrom({ act: 'host', name: 'wait', options: { timeout: 5 } })) as { name: string };
    assert.equal(name, 'TimeoutError');
    await fired((await called).signal);
  });

  row('a time longer than any timer waits, and one that is no time says so', async () => {
    const called = nextCall();
    const patient = run({ act: 'host', name: 'wait', options: { timeout: 2 ** 40 } });
    const { signal } = await called;
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.ok(!signal.aborted);
    patient.kill('cancelled');
    for (const timeout of [-1, 'soon']) {
      const answer = await valueFrom({ act: 'host', name: 'echo', data: 1, options: { timeout } });
      assert.match((answer as { message: string }).message, /expected "timeout" in milliseconds/);
    }
  });

  row('options that are none are no options, and a signal that is none says so', async () => {
    assert.deepEqual(await valueFrom({ act: 'host', name: 'echo', data: 1, options: null }), { answer: 1 });
    const answer = await valueFrom({ act: 'host', name: 'echo', data: 1, options: { signal: 5 } });
    assert.match((answer as { message: string }).message, /expected "signal" to be an AbortSignal/);
  });

  row('a callback may give a host call up with a signal', async () => {
    const called = nextCall();
    assert.deepEqual(await valueFrom({ act: 'giveUp' }), { name: 'AbortError' });
    await fired((await called).signal);
  });

  row('when a callback is killed the signal of its service fires with the reason, and the late answer goes nowhere', async () => {
    const called = nextCall();
    const killed = run({ act: 'wait' });
    const { signal } = await called;
    killed.kill('cancelled');
    assert.ok(signal.aborted);
    assert.equal((signal.reason as Error).message, 'cancelled');
    assert.equal((await killed.outcome).type, 'killed');
    assert.equal(await valueFrom({ act: 'echo', value: 2 }), 2);
  });
}

function fired(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
