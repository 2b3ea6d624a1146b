/** A host with a plugin that never answers: it says which process the plugin runs in, and waits to be killed. */
import { systemClock } from '../../src/clock.js';
import { createIsolation } from '../../src/isolation/create.js';
import { resolveThreads } from '../../src/threads.js';
import { task } from '../isolation/given.js';

const source = `exports.listRoots = async (context) => { if (context.serverId === 'spin') for (;;); return { roots: [] } }`;
const program = { name: 'p', source, permissions: {}, callbacks: ['listRoots'], maxResultBytes: 1000 } as const;
const isolation = await createIsolation({
  ...{ tier: 'process', handler: undefined, plugin: { program, maxMemoryMb: 64 }, threads: resolveThreads({}), services: {} },
  ...{ events: { stray: () => {}, output: () => {}, undead: () => {} }, clock: systemClock },
});
const { threadId } = await isolation.run(task(undefined, { kind: 'roots' })).outcome;
isolation.run(task(undefined, { kind: 'roots', serverId: 'spin' }));
process.send?.([threadId]);
