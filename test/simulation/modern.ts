/**
 * An episode of the modern era: every answer of the server may be a round, well formed or not; callbacks return, fail, are killed;
 * the host gives calls up between and within rounds; legs fail to leave; time passes; the transport closes.
 */
import assert from 'node:assert/strict';
import type { CallOptions } from '../../src/connection/caller.js';
import type { RequestId } from '../../src/contract/handler.js';
import { type Episode, outcomes } from './legacy.js';
import type { Random } from './random.js';
import { createWorld, type Message } from './world.js';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const maxRounds = 4;
const sampling = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 10 };

interface Asked {
  readonly keys: readonly string[] | undefined;
  readonly state: string | undefined;
}

interface Course {
  rounds: number;
  leg: RequestId | undefined;
  asked: Asked | undefined;
}

export function modernEpisode(random: Random): Episode {
  /** By the number that a call carries in its params. */
  const courses = new Map<number, Course>();
  const answered: RequestId[] = [];
  const expected: string[] = [];
  let keys = 0;

  const world = createWorld({
    random,
    limits: {
      ...{ maxServerRequests: 2, handlerTimeout: 400, rounds: { max: maxRounds } },
      inputRateLimit: { whenOver: random.chance(0.5) ? 'wait' : 'refuse' },
    },
    callbacks: ['elicitation', 'sampling'],
    streams: random.chance(0.5),
    meta,
    fails: ({ params }) => params?.inputResponses !== undefined && random.chance(0.05),
    seen,
    handshake: () => {
      for (const course of courses.values()) course.leg = undefined;
    },
  });

  function seen({ id, method, params }: Message): string | undefined {
    if (method === 'notifications/cancelled') return seenCancel(params?.requestId as RequestId);
    if (method !== 'tools/call') return undefined;
    const number = params?.call as number;
    const course = courses.get(number) as Course;
    const { asked } = course;
    if (course.leg !== undefined) return `call ${number} has two legs on the wire`;
    course.leg = id;
    course.asked = undefined;
    if (asked === undefined) return course.rounds > 0 ? `call ${number} was sent again unasked` : undefined;
    if (world.calls[number]?.controller.signal.aborted) return `call ${number} was sent again though given up`;
    if (params?.requestState !== asked.state) return `call ${number} lost its state`;
    const given = params?.inputResponses;
    const sameKeys = JSON.stringify(given && Object.keys(given)) === JSON.stringify(asked.keys);
    return sameKeys ? undefined : `call ${number} was sent again with other keys`;
  }

  function seenCancel(id: RequestId): string | undefined {
    const course = [...courses.values()].find(({ leg }) => leg === id);
    if (course === undefined) return `cancelled ${JSON.stringify(id)}, which is not on the wire`;
    course.leg = undefined;
    return undefined;
  }

  function call(): void {
    const options: CallOptions = {
      timeout: 100 + random.below(400),
      maxTotalTimeout: random.chance(0.2) ? 100 + random.below(500) : 1_000_000,
    };
    const number = world.calls.length;
    courses.set(number, { rounds: 0, leg: undefined, asked: undefined });
    world.call(random.chance(0.8) ? options : undefined, { name: 't', call: number });
  }

  /** A round, and what it leads to if its call still waits for it. */
  function round(course: Course): object {
    const entries = [...Array(1 + random.below(4))].map(() => [`k${keys++}`, entry()] as const);
    const state = random.chance(0.5) ? `s${keys}` : undefined;
    const names = entries.map(([key]) => key);
    if (course.rounds++ < maxRounds) expected.push(...names);
    course.asked = { keys: names, state };
    return { resultType: 'input_required', inputRequests: Object.fromEntries(entries), ...(state && { requestState: state }) };
  }

  function entry(): object {
    return random.weighed<object>([
      [6, { method: 'elicitation/create', params: { message: `${keys}?`, requestedSchema: { type: 'object', properties: {} } } }],
      [3, { method: 'sampling/createMessage', params: sampling }],
      [0.2, { method: 'elicitation/create', params: {} }],
      [0.2, { method: 'roots/list' }],
    ]);
  }

  function stateOnly(course: Course): object {
    course.rounds++;
    course.asked = { keys: undefined, state: '' };
    return { resultType: 'input_required', requestState: '' };
  }

  function respond(): void {
    const course = random.pick([...courses.values()].filter(({ leg }) => leg !== undefined));
    if (course?.leg === undefined) return;
    const id = course.leg;
    // The server may answer a leg that was given up a moment ago, and nobody waits for.
    const waits = world.wiring.link.calls.byWire(id) !== undefined;
    course.leg = undefined;
    answered.push(id);
    if (!waits) return world.deliver({ id, result: { resultType: 'complete', content: [] } });
    const say = random.weighed<() => object>([
      [4, () => ({ result: { resultType: 'complete', content: [] } })],
      [8, () => ({ result: round(course) })],
      [1, () => ({ result: stateOnly(course) })],
      [1, () => ({ error: { code: -32603, message: 'e' } })],
      [0.3, () => ({ result: { resultType: 'input_required' } })],
      [0.3, () => ({ result: { resultType: 'weird' } })],
      [0.3, () => ({ result: 'nonsense' })],
    ]);
    world.deliver({ id, ...say() });
  }

  /** An answer to a leg that has been answered. */
  function forge(): void {
    const id = random.pick(answered);
    if (id !== undefined) world.deliver({ id, result: { resultType: 'complete', content: [], forged: true } });
  }

  const acts: readonly (readonly [number, () => void])[] = [
    [4, call],
    [8, respond],
    [8, () => random.pick(world.runs.filter(({ ended }) => !ended))?.end(random.chance(0.7) ? fitting() : random.pick(outcomes))],
    [4, () => world.clock.advance(random.below(200))],
    [2, () => random.pick(world.calls.filter(({ state }) => state === 'waiting'))?.controller.abort()],
    [1, forge],
    [1, () => world.deliver({ id: `r${keys}`, method: 'elicitation/create', params: {} })],
    [0.3, () => world.reconnect()],
  ];

  /** An answer that fits either question often enough for calls to come through. */
  function fitting(): (typeof outcomes)[number] {
    return outcomes[random.chance(0.65) ? 0 : 1] as never;
  }

  return {
    world,
    act: () => random.weighed(acts)(),
    async end() {
      await world.settle();
      for (const { state, controller } of world.calls) if (state === 'waiting' && random.chance(0.5)) controller.abort();
      await world.settle();
      for (let turn = 0; turn < 6; turn++) {
        world.clock.advance(500);
        await world.settle();
      }
      world.abandonPlain();
      await world.settle();
      assert.ok(
        world.runs.every(({ ended }) => ended),
        'a callback outlives its call',
      );
      await world.finish();
      assert.deepEqual(world.records.map(({ requestId }) => requestId).sort(), expected.sort(), 'one record an entry');
    },
  };
}
