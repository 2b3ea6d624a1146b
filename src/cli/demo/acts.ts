/** The programme: which server is connected how, and what is shown with it. What a handler module does not answer is not shown. */
import { fileURLToPath } from 'node:url';
import type { Command, Connection, ConnectOptions, InputCapabilities } from '../../index.js';
import type { Claim } from './claims.js';
import { bookTrip } from './scenes/desk.js';
import { type Answers, askEverything } from './scenes/everything.js';
import { budget, getGreedy } from './scenes/greedy.js';
import { deadline, getStuck } from './scenes/stuck.js';
import type { Stage } from './stage.js';

export interface Act {
  readonly about: string;
  readonly target: Command | URL;
  readonly options: ConnectOptions;
  play(stage: Stage, connection: Connection): Promise<Claim[]>;
}

/** Where the servers are: the entry file of server-everything, and the endpoint of the travel desk. */
export interface Servers {
  readonly everything: string;
  readonly endpoint: URL;
}

const legacy = { versionNegotiation: { mode: 'legacy' } } as const;
const misbehaving = { handler: new URL('./stuck.js', import.meta.url), clientOptions: legacy } as const;
const desk = run(fileURLToPath(new URL('./stdio.js', import.meta.url)));

function run(file: string): Command {
  return { command: process.execPath, args: [file], stderr: 'ignore' };
}

export function actsFor(answers: Answers, { everything, endpoint }: Servers): readonly Act[] {
  const acts: Act[] = [
    {
      about: 'published server-everything, over stdio',
      target: run(everything),
      options: { serverId: 'everything', clientOptions: legacy },
      play: (stage, connection) => askEverything(stage, connection, answers),
    },
    {
      about: 'a travel desk on the official server package, over stdio',
      target: desk,
      options: { serverId: 'desk (stdio)' },
      play: (stage, connection) => bookTrip(stage, connection, 'stdio'),
    },
    {
      about: 'the same over Streamable HTTP',
      target: endpoint,
      options: { serverId: 'desk (http)' },
      play: (stage, connection) => bookTrip(stage, connection, 'Streamable HTTP'),
    },
    {
      about: `a callback that never returns, with a deadline of ${deadline} ms`,
      target: desk,
      options: { ...misbehaving, serverId: 'stuck desk', handlerTimeout: { sampling: deadline } },
      play: getStuck,
    },
    {
      about: `a server that asks more than its budget of ${budget.burst}`,
      target: desk,
      options: { ...misbehaving, serverId: 'greedy desk', inputRateLimit: budget },
      play: getGreedy,
    },
  ];
  const answersAll = Object.values(answers).every(Boolean);
  return acts.filter(({ play: _play, options }) => answersAll || !options.serverId.startsWith('desk'));
}

/** What a handler module answers, by what is advertised for it. */
export function answersOf({ sampling, elicitation, roots }: InputCapabilities): Answers {
  return {
    sampling: sampling !== undefined,
    form: elicitation?.form !== undefined,
    url: elicitation?.url !== undefined,
    roots: roots !== undefined,
  };
}
