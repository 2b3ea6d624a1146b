/**
 * How callbacks behave, in whatever tier they run. Each tier's test hands over a way to open an isolation of the module
 * `test/fixtures/handlers/suite.mjs` and gets the same tests.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { HostServiceTable, Isolation, KillReason, Outcome, ServiceExtra, Task } from '../../src/isolation/isolation.js';
import { context, deferred, task } from './given.js';
import { serviceRows } from './suite-services.js';

export interface Tier {
  readonly name: string;
  open(services: HostServiceTable): Promise<Isolation>;
  /** Rows of the suite that the tier cannot have, by name, with the reason. */
  readonly without?: { readonly [row: string]: string };
}

export function callbackSuite(tier: Tier): void {
  describe(`callbacks in tier ${tier.name}`, () => {
    const waiting: ServiceExtra[] = [];
    let started = deferred();
    let called = deferred<ServiceExtra>();
    let isolation: Isolation;

    const services: HostServiceTable = {
      echo: (data) => data,
      extra: (data, { signal, ...extra }) => ({ data, ...extra, aborted: signal.aborted }),
      fails: () => {
        throw Object.assign(new RangeError('the dialog is gone'), { secret: 'path', code: 'E_SECRET' });
      },
      throwsNothing: () => {
        throw undefined;
      },
      throwsTrap: (_, { kind }) => {
        const trap = (): never => {
          throw new Error(kind);
        };
        throw new Proxy(new RangeError('no'), { get: trap, getPrototypeOf: trap });
      },
      throwsUnreadable: () => {
        throw Object.defineProperty(Object.assign(new Error('no'), { name: Object.create(null) }), 'message', {
          get() {
            throw new Error('unreadable');
          },
        });
      },
      unplain: () => ({ when: new Date(0) }),
      wait: (_, extra) =>
        new Promise((resolve) => {
          waiting.push(extra);
          extra.signal.addEventListener('abort', () => resolve('too late'));
          called.resolve(extra);
        }),
      started: () => started.resolve(),
    };

    before(async () => {
      isolation = await tier.open(services);
    });
    after(() => isolation.close('kill'));

    /** The next call of the service `wait`. */
    const nextCall = (): Promise<ServiceExtra> => {
      called = deferred();
      return called.promise;
    };
    const outcomeOf = (params: unknown, more?: Partial<Task>): Promise<Outcome> => isolation.run(task(params, more)).outcome;
    const row = (name: string, body: () => Promise<void>): void => {
      if (tier.without?.[name] === undefined) test(name, body);
    };

    async function valueFrom(params: unknown, more?: Partial<Task>): Promise<unknown> {
      const outcome = await outcomeOf(params, more);
      assert.equal(outcome.type, 'returned', JSON.stringify(outcome));
      return outcome.type === 'returned' ? outcome.value : undefined;
    }

    async function crashOf(params: unknown): Promise<Outcome & { type: 'crashed' }> {
      const outcome = await outcomeOf(params);
      assert.equal(outcome.type, 'crashed', JSON.stringify(outcome));
      return outcome as Outcome & { type: 'crashed' };
    }

    row('B1: the module is described by its exports', async () => {
      assert.deepEqual(isolation.description.callbacks, ['sampling', 'elicitation', 'roots', 'notification', 'log']);
      assert.deepEqual(isolation.description.elicitationModes, ['form', 'url']);
    });

    for (const act of ['echo', 'thenable', 'twice']) {
      row(`B6: what a callback returns comes back (${act})`, async () => {
        const value = { action: 'accept', content: { text: 'grüße', n: -0.5, list: [true, null, ''] } };
        assert.deepEqual(await valueFrom({ act, value }), value);
      });
    }

    row('B6: a synchronous callback is one like any other', async () => {
      assert.deepEqual(await valueFrom({ act: 'sync', value: 1 }, { kind: 'sampling' }), 1);
    });

    row('B8: undefined comes back as undefined', async () => {
      assert.equal(await valueFrom({ act: 'nothing' }), undefined);
    });

    row('B49, B51: roots get the context alone, notifications method and params, logs the entry', async () => {
      assert.deepEqual(await valueFrom(undefined, { kind: 'roots' }), { roots: [{ uri: 'file:///files' }], got: 'object' });
      assert.deepEqual(await valueFrom({ method: 'x/y', params: { a: 1 } }, { kind: 'notification' }), {
        method: 'x/y',
        params: { a: 1 },
        serverId: 'files',
      });
      assert.deepEqual(await valueFrom({ level: 'info', data: 1 }, { kind: 'log' }), {
        entry: { level: 'info', data: 1 },
        serverId: 'files',
      });
    });

    row('B56: the context carries what it should, and nothing of the pool', async () => {
      assert.deepEqual(await valueFrom({ act: 'context' }), { ...context, described: ['boolean', 'object', 'function'] });
    });

    // ---- throws, refusals, results

    for (const how of ['throws', 'rejects']) {
      for (const what of ['error', 'undefined', 'null', 'string', 'symbol', 'getter']) {
        row(`B18: a callback that ${how} (${what}) has crashed, and the next one is answered`, async () => {
          const { reason, fault } = await crashOf({ act: how, what });
          assert.equal(reason, 'threw');
          if (what === 'error') assert.deepEqual([fault.name, fault.message], ['RangeError', 'too far']);
          assert.equal(await valueFrom({ act: 'echo', value: 1 }), 1);
        });
      }
    }

    for (const act of ['refuses', 'throwsRefusal']) {
      row(`B7: a refusal keeps code, message and data exactly (${act})`, async () => {
        const refused = { type: 'refused', code: -1, message: 'not today', data: { until: 'tomorrow' } };
        const { times, threadId, ...outcome } = await isolation.run(task({ act, ...refused })).outcome;
        assert.deepEqual(outcome, refused);
        assert.ok(times.run >= 0 && threadId >= 0);
      });
    }

    for (const what of ['code', 'fraction', 'message', 'cut', 'data', 'cutdata', 'getter']) {
      row(`B7: a malformed refusal is a crash (${what})`, async () => {
        assert.equal((await crashOf({ act: 'malformed', what })).reason, 'refusal');
      });
    }

    for (const what of [
      'function',
      'symbol',
      'bigint',
      'nan',
      'map',
      'date',
      'instance',
      'promise',
      'proto',
      'getter',
      'proxy',
      'cycle',
    ]) {
      row(`B8: a result that is no plain data (${what}) is a crash with the path of the fault`, async () => {
        const { reason, path, fault } = await crashOf({ act: 'gives', what });
        assert.equal(reason, 'result');
        assert.ok(path?.startsWith('/a'), path);
        assert.match(fault.message, /expected plain data at "\/a/);
      });
    }

    row('B8: a result above 1 MiB is a crash, one just below it comes back', async () => {
      assert.equal((await crashOf({ act: 'large', characters: 2 ** 20 })).reason, 'size');
      assert.deepEqual(await valueFrom({ act: 'large', characters: 2 ** 20 - 11 }), { text: 'x'.repeat(2 ** 20 - 11) });
    });

    row('B8: a result nested a thousand levels is a crash', async () => {
      assert.equal((await crashOf({ act: 'deep' })).reason, 'result');
    });

    // ---- state

    row('context.state gives what was kept and proposes what is next', async () => {
      const outcome = await outcomeOf({ act: 'state' }, { state: { count: 4 } });
      assert.ok(outcome.type === 'returned');
      assert.deepEqual(outcome.value, { before: { count: 4 }, after: { count: 5 } });
      assert.deepEqual(outcome.state, { next: { count: 5 } });
    });

    row('context.state of a callback that fails is lost with it', async () => {
      assert.ok(!('state' in (await crashOf({ act: 'stateThenThrow' }))));
      const { reason, fault } = await crashOf({ act: 'stateUnplain' });
      assert.equal(reason, 'result');
      assert.match(fault.message, /context\.state: expected plain data at "\/f"/);
    });

    serviceRows({ row, valueFrom, run: (params) => isolation.run(task(params)), nextCall });

    // ---- kills

    const reasons: readonly KillReason[] = [
      'timeout',
      'cancelled',
      'call ended',
      'sibling failed',
      'closed',
      'busy',
      'memory',
      'flood',
    ];
    row('case 115: the host can tell the causes of a kill apart', async () => {
      for (const reason of reasons) {
        started = deferred();
        const run = isolation.run(task({ act: 'unsettled' }));
        await started.promise;
        run.kill(reason);
        const { times, threadId, ...outcome } = await run.outcome;
        assert.deepEqual(outcome, { type: 'killed', reason });
        assert.ok(times.run >= 0 && threadId >= 0);
      }
    });

    row('B10: a kill settles the outcome at once, a second kill or a late answer changes nothing', async () => {
      started = deferred();
      const run = isolation.run(task({ act: 'signalled' }, { killGrace: 10_000 }));
      await started.promise;
      run.kill('timeout');
      run.kill('cancelled');
      const settled = await Promise.race([run.outcome, new Promise((resolve) => setImmediate(resolve, 'late'))]);
      assert.equal((settled as { reason?: string }).reason, 'timeout');
      assert.equal((await outcomeOf({ act: 'echo', value: 3 })).type, 'returned');
    });

    row('case 114: with a grace, context.signal fires before the kill and names the reason', async () => {
      await atRest(isolation);
      started = deferred();
      const run = isolation.run(task({ act: 'signalled' }, { killGrace: 10_000 }));
      await started.promise;
      run.kill('call ended');
      assert.equal((await run.outcome).type, 'killed');
      // The cell whose callback tidied up is free again, and the last one used is the next one taken.
      await atRest(isolation);
      assert.equal(await valueFrom({ act: 'heard' }), 'call ended');
    });

    row('killing a callback that has ended does nothing', async () => {
      const run = isolation.run(task({ act: 'echo', value: 5 }));
      const outcome = await run.outcome;
      run.kill('timeout');
      assert.equal(await run.outcome, outcome);
      assert.equal(outcome.type, 'returned');
    });
  });
}

/** Resolves when nothing runs and no cell is starting. */
async function atRest(isolation: Isolation): Promise<void> {
  for (let now = isolation.stats(); now.spares < now.cells; now = isolation.stats())
    await new Promise((resolve) => setImmediate(resolve));
}
