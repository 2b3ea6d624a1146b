/**
 * An episode of the legacy era: the server asks, cancels, repeats and reuses ids, answers calls and does not; callbacks return, fail,
 * are killed; the host calls and gives up; time passes; the transport closes and a client connects again.
 */
import assert from 'node:assert/strict';
import type { CallOptions } from '../../src/connection/caller.js';
import type { RequestId } from '../../src/contract/handler.js';
import type { Outcome } from '../../src/isolation/isolation.js';
import type { Random } from './random.js';
import { createWorld, type Message, type World } from './world.js';

const ids: readonly RequestId[] = [1, '1', 0, '', 2, '__proto__'];
const form = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const sampling = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 10 };
const fault = { name: 'Error', message: 'played' };

const questions: readonly Message[] = [
  { method: 'elicitation/create', params: form },
  { method: 'elicitation/create', params: { ...form, message: 'And?' } },
  { method: 'elicitation/create', params: { ...form, _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'T' } } } },
  { method: 'sampling/createMessage', params: sampling },
  { method: 'elicitation/create', params: { message: 7 } },
  { method: 'roots/list' },
];

export const outcomes: readonly Outcome[] = [
  { type: 'returned', value: { action: 'accept', content: {} } },
  { type: 'returned', value: { role: 'assistant', model: 'm', content: { type: 'text', text: 'ok' } } },
  { type: 'returned', value: { roots: [] } },
  { type: 'returned', value: undefined },
  { type: 'refused', code: 7, message: 'no' },
  { type: 'crashed', reason: 'threw', fault },
  { type: 'crashed', reason: 'lost', fault },
  { type: 'killed', reason: 'busy' },
  { type: 'killed', reason: 'memory' },
];

export interface Episode {
  readonly world: World;
  act(): void;
  end(): Promise<void>;
}

export function legacyEpisode(random: Random): Episode {
  const live = new Set<RequestId>();
  const unanswered = new Set<RequestId>();
  const answered = new Set<RequestId>();
  const tokens: RequestId[] = [];
  const asked = { count: 0, cancelled: 0, repeated: 0 };

  const world = createWorld({
    random,
    limits: { maxServerRequests: 3, handlerTimeout: 400, sampling: { allowIdle: random.chance(0.5) } },
    callbacks: ['elicitation', 'sampling'],
    streams: false,
    seen(message) {
      if (message.method !== undefined) return void seenOf(message);
      const id = message.id as RequestId;
      return live.delete(id) ? undefined : `an answer under ${JSON.stringify(id)}, which asks nothing`;
    },
    handshake(self) {
      live.clear();
      unanswered.clear();
      self.send({ id: 'init', method: 'initialize', params: {} });
      self.deliver({ id: 'init', result: { protocolVersion: '2025-11-25', capabilities: {} } });
      unanswered.clear();
    },
  });

  function seenOf({ id, params }: Message): void {
    if (id !== undefined) unanswered.add(id);
    const token = (params?._meta as { progressToken?: RequestId } | undefined)?.progressToken;
    if (token !== undefined) tokens.push(token);
  }

  function ask(id: RequestId = random.pick(ids), question: Message = random.pick(questions)): void {
    if (live.has(id)) asked.repeated++;
    else asked.count++;
    live.add(id);
    world.deliver({ ...question, id });
  }

  function cancel(): void {
    const requestId = random.pick(ids);
    if (live.delete(requestId)) asked.cancelled++;
    world.deliver({ method: 'notifications/cancelled', params: { requestId } });
  }

  function call(): void {
    const total = random.chance(0.2) ? 100 + random.below(500) : 1_000_000;
    const options: CallOptions = {
      timeout: 50 + random.below(300),
      maxTotalTimeout: total,
      resetTimeoutOnProgress: random.chance(0.3),
      ...(random.chance(0.2) && { onprogress: () => {} }),
      ...(random.chance(0.1) && { progressToken: 'mine' }),
    };
    world.call(random.chance(0.8) ? options : undefined, { name: 't' });
  }

  function respond(): void {
    const id = random.chance(0.1) ? random.pick(['mcp-bulkhead:1', 77, 1, 2] as const) : random.pick([...unanswered]);
    if (id === undefined) return;
    unanswered.delete(id);
    answered.add(id);
    const answer = random.weighed<object>([
      [6, { result: { content: [] } }],
      [2, { error: { code: -32603, message: 'e' } }],
      [1, { error: { code: -32042, message: 'e', data: { elicitations: [] } } }],
      [1, { result: null }],
    ]);
    world.deliver({ id, ...answer });
  }

  function progress(): void {
    const progressToken = random.chance(0.8) ? random.pick(tokens) : 'unknown';
    if (progressToken === undefined) return;
    world.deliver({ method: 'notifications/progress', params: { progressToken, progress: random.below(100) } });
  }

  function runsFor(id: RequestId): boolean {
    return world.runs.some(({ task, ended }) => !ended && 'kind' in task.context && task.context.relatedRequestId === id);
  }

  const acts: readonly (readonly [number, () => void])[] = [
    [10, () => ask()],
    [4, cancel],
    [8, () => random.pick(world.runs.filter(({ ended }) => !ended))?.end(random.pick(outcomes))],
    [4, () => world.clock.advance(random.below(200))],
    [5, call],
    [3, () => random.pick(world.calls.filter(({ state }) => state === 'waiting'))?.controller.abort()],
    [4, respond],
    [2, progress],
    [0.5, () => world.reconnect()],
  ];

  return {
    world,
    act: () => random.weighed(acts)(),
    async end() {
      await world.settle();
      for (const { id, state } of world.calls)
        if (state === 'rejected' && !answered.has(id)) assert.ok(!runsFor(id), 'a callback outlives the call that was given up');
      for (const run of world.runs) run.end(random.pick(outcomes));
      await world.settle();
      assert.deepEqual([...live], [], 'requests without an answer');
      // A pause that was never taken back would let a call live past this, since most have no total to speak of.
      world.clock.advance(2_000);
      await world.settle();
      world.abandonPlain();
      await world.settle();
      for (const id of ids) {
        ask(id, { method: 'roots/list' });
        await world.settle();
        assert.equal(live.has(id), false, `${JSON.stringify(id)} is still taken for a live request`);
      }
      await world.finish();
      assert.equal(world.records.length, asked.count, 'records');
      assert.equal(new Set(world.records).size, asked.count);
      const { outcomes: ends, dropped } = world.wiring.stats();
      assert.equal(ends.cancelled, asked.cancelled, 'cancelled');
      assert.equal(dropped.request, asked.repeated, 'repeated');
    },
  };
}
