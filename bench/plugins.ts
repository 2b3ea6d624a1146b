/**
 * What does distrust cost? Plugins of three sizes in each tier, beside the same module in a plain thread: from nothing to a first
 * answer, a call, and the way back after a crash. Memory of idle workers is in `start`.
 */
import { fileURLToPath } from 'node:url';
import type { Cell, Table } from '../src/cli/measure/answer.js';
import { type Case, type Compared, compare } from '../src/cli/measure/compare.js';
import { comparedChart, comparedTable } from '../src/cli/measure/compared.js';
import { bytes } from '../src/cli/measure/spelling.js';
import { median } from '../src/cli/measure/statistics.js';
import { settingsFor, standBy } from '../src/cli/measure/tiers.js';
import { createIsolation } from '../src/isolation/create.js';
import type { Isolation } from '../src/isolation/isolation.js';
import type { Tier } from '../src/options.js';
import { bundle } from '../src/plugin/bundle.js';
import { ask, checkout, type Plan } from './question.js';
import { answerFor, payloadOf } from './subjects/payload.js';
import { nameOf, openRoom, ours, outside, said, taskOf } from './subjects/tiers.js';

const params = payloadOf(1024);
const check = answerFor(1024);
const baseline = nameOf('thread');
const at = (name: string): URL => new URL(`./subjects/${name}.js`, import.meta.url);

await ask({
  name: 'plugins',
  title: 'What distrust costs',
  async answer(plan) {
    const compared: Compared[] = [];
    for (const name of ['by-hand', 'with-ajv', 'with-zod']) {
      const module = at(`validating/${name}`);
      const size = bytes(await bundledSize(module));
      compared.push(await measureFirst(`a plugin of ${size} (${name}): from nothing to a first answer`, module, plan));
      compared.push(await measureCalls(`a plugin of ${size} (${name}): one call`, module, plan));
    }
    const recovery = await measureRecovery(plan);
    return {
      tables: [...compared.map((one) => comparedTable(one)), recovery],
      charts: compared.map((one) => comparedChart(one, ours)),
      goals: [],
      notes: [
        'A plugin is bundled and read before the clock starts; the thread loads the same module, unbundled, with what it imports. The code cache of hardened JavaScript is made once a process and counts in the first round only.',
      ],
    };
  },
});

async function bundledSize(module: URL): Promise<number> {
  const bundled = await bundle(fileURLToPath(module), checkout);
  if (!bundled.ok) throw new Error('the module cannot be a plugin');
  return bundled.source.length;
}

async function measureFirst(name: string, module: URL, plan: Plan): Promise<Compared> {
  const cases = await Promise.all(outside.map((tier) => firstCase(tier, module)));
  return await compare({
    ...{ name, baseline, cases, samples: 1, progress: plan.progress },
    ...{ rounds: plan.pick(11, 1), warmup: plan.pick(1, 0) },
  });
}

async function firstCase(tier: Tier, module: URL): Promise<Case> {
  const settings = await settingsFor(tier, module, { spares: 0 });
  const call = async (): Promise<unknown> => {
    const room = await createIsolation(settings);
    const outcome = await room.run(taskOf(params)).outcome;
    void room.close('kill');
    return said(outcome);
  };
  return { name: nameOf(tier), open: () => ({ call }), check };
}

function measureCalls(name: string, module: URL, plan: Plan): Promise<Compared> {
  const cases = outside.map((tier) => ({ name: nameOf(tier), open: () => openRoom(tier, module, params, 1), check }));
  return compare({ name, baseline, cases, rounds: plan.pick(21, 1), samples: plan.pick(80, 2), progress: plan.progress });
}

// ---- after a crash ----------------------------------------------------------------------------------------------------

async function measureRecovery(plan: Plan): Promise<Table> {
  const rooms = await Promise.all(outside.map(async (tier) => ({ tier, room: await openCrashing(tier), next: [] as number[] })));
  const rounds = plan.pick(9, 1);
  for (let round = 0; round < rounds; round++) {
    for (const { tier, room, next } of rooms) {
      plan.progress(`plugins: after a crash, ${nameOf(tier)}, round ${round + 1} of ${rounds}`);
      next.push(await crashAndAsk(room));
    }
  }
  for (const { room } of rooms) await room.close('kill');
  const basis = median(rooms.find(({ tier }) => tier === 'thread')?.next ?? []);
  const rows = rooms.map(({ tier, next }): Cell[] => [nameOf(tier), median(next), Math.max(...next), median(next) / basis]);
  return {
    title: 'The next answer after a crash',
    columns: ['', 'ms (median)', 'longest', `to ${baseline}`],
    rows,
    note: 'From the failed outcome of a callback that ended its place (a thread by process.exit, a plugin by a full heap) to the next answer, with one spare.',
  };
}

async function openCrashing(tier: Tier): Promise<Isolation> {
  const settings = await settingsFor(tier, at('crashing'));
  const plugin = settings.plugin === undefined ? {} : { plugin: { ...settings.plugin, maxMemoryMb: 32 } };
  return await createIsolation({ ...settings, ...plugin });
}

async function crashAndAsk(room: Isolation): Promise<number> {
  await standBy(room, 2);
  // A spare child is loaded behind the spare thread.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const crashed = await room.run(taskOf({ crash: true })).outcome;
  const since = performance.now();
  if (crashed.type === 'returned') throw new Error('it did not crash');
  const next = JSON.stringify(said(await room.run(taskOf({})).outcome));
  if (!next.includes('whole')) throw new Error(`the next callback was not answered: ${next}`);
  return performance.now() - since;
}
