/** The public names and error kinds, pinned as literals: a change here is a change of the package's version. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as main from 'mcp-bulkhead';
import * as bucket from 'mcp-bulkhead/bucket';
import * as handler from 'mcp-bulkhead/handler';
import * as testing from 'mcp-bulkhead/testing';

test('the main entry exports these names and no others', () => {
  assert.deepEqual(Object.keys(main).sort(), [
    'BulkheadError',
    'createBulkhead',
    'defaults',
    'errorKinds',
    'isBulkheadError',
    'systemClock',
  ]);
});

test('mcp-bulkhead/handler exports what a handler module needs', () => {
  assert.deepEqual(Object.keys(handler).sort(), [
    'defaultsOf',
    'exportOf',
    'isRefusal',
    'refusalMark',
    'refuse',
    'validateContent',
  ]);
});

test('mcp-bulkhead/bucket exports the shared token bucket', () => {
  assert.deepEqual(Object.keys(bucket).sort(), ['createBudgetBuffer', 'openBudget']);
});

test('mcp-bulkhead/testing exports what users test their handlers with', () => {
  assert.deepEqual(Object.keys(testing).sort(), ['autoAcceptHandler', 'createManualClock', 'createScriptedServer', 'rpcError']);
});

test('error kinds are a closed list', () => {
  assert.deepEqual(main.errorKinds, [
    'input_handler',
    'protocol',
    'over_budget',
    'rounds',
    'timeout',
    'cancelled',
    'closed',
    'load',
    'options',
  ]);
});

test('defaults are frozen, and as documented', () => {
  const { limits, threads } = main.defaults;
  assert.ok(Object.isFrozen(main.defaults) && Object.isFrozen(limits) && Object.isFrozen(threads));
  assert.deepEqual(limits, {
    handlerTimeout: { sampling: 60_000, elicitation: 300_000, roots: 60_000, notification: 60_000, log: 60_000 },
    busyTimeout: { sampling: 0, elicitation: 10_000, roots: 10_000, notification: 10_000, log: 10_000 },
    killGrace: 0,
    maxServerRequests: 8,
    inputRateLimit: { perSecond: 10, burst: 20, whenOver: 'refuse' },
    logRateLimit: { perSecond: 50, burst: 100 },
    logLevel: undefined,
    sampling: { maxTokens: 4096, context: false, tools: false, allowIdle: false, maxToolIterations: 5, rejectionCode: -1 },
    elicitation: { origin: undefined, allowLoopbackHttp: false, applyDefaults: false, onTimeout: 'error' },
    roots: { listChanged: false },
    rounds: { max: 10, entries: 16, bytes: 1_048_576 },
    notifications: { maxWaiting: 1000, timeout: 60_000 },
    timeout: 60_000,
    maxTotalTimeout: 600_000,
  });
  assert.deepEqual(
    { ...threads, resourceLimits: undefined },
    {
      min: 1,
      max: 16,
      spares: 1,
      maxUndead: 2,
      scope: 'shared',
      permission: false,
      memoryBudget: 2 ** 30,
      resourceLimits: undefined,
      env: {},
      execArgv: [],
    },
  );
});
