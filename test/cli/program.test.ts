import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { CommandEntry, CommandModule } from '../../src/cli/commands.js';
import { run } from '../../src/cli/program.js';
import { BulkheadError } from '../../src/errors.js';
import { recordingTerminal } from '../support/terminal.js';

interface Loads {
  readonly entries: readonly CommandEntry[];
  readonly loaded: string[];
}

/** Two commands: `greet` does what the test says, `idle` must never be loaded. */
function twoCommands(action: () => void | Promise<void> = () => undefined): Loads {
  const loaded: string[] = [];
  const entry = (name: string, register: CommandModule['register']): CommandEntry => ({
    name,
    summary: `what ${name} does`,
    load: async () => {
      loaded.push(name);
      return { register };
    },
  });
  const greet = entry('greet', (command, terminal) => {
    command.option('--name <name>', 'whom').action(async (options: { name?: string }) => {
      terminal.print(`hello ${options.name ?? 'you'}`);
      await action();
    });
  });
  return { entries: [greet, entry('idle', () => undefined)], loaded };
}

async function runWith(args: string[], loads: Loads = twoCommands()) {
  const terminal = recordingTerminal();
  const exitCode = await run(args, terminal, loads.entries);
  return { exitCode, out: terminal.out.join('\n'), err: terminal.err.join('\n'), loaded: loads.loaded };
}

test('only the module of the command that runs is loaded', async () => {
  const { exitCode, out, loaded } = await runWith(['greet', '--name', 'Ada']);
  assert.equal(exitCode, 0);
  assert.equal(out, 'hello Ada');
  assert.deepEqual(loaded, ['greet']);
});

test('--help lists every command and loads none', async () => {
  const { exitCode, out, loaded } = await runWith(['--help']);
  assert.equal(exitCode, 0);
  assert.match(out, /greet .*what greet does/);
  assert.match(out, /idle .*what idle does/);
  assert.deepEqual(loaded, []);
});

for (const args of [
  ['help', 'greet'],
  ['greet', '--help'],
  ['--verbose', 'greet', '-h'],
])
  test(`"${args.join(' ')}" prints the options of greet alone`, async () => {
    const { exitCode, out, loaded } = await runWith(args);
    assert.equal(exitCode, 0);
    assert.match(out, /--name <name>/);
    assert.deepEqual(loaded, ['greet']);
  });

test('--version prints the version of the package', async () => {
  const { exitCode, out } = await runWith(['--version']);
  assert.equal(exitCode, 0);
  assert.match(out, /^\d+\.\d+\.\d+/);
});

const nonsense: readonly (readonly [args: string[], says: RegExp])[] = [
  [['nope'], /unknown command 'nope'/],
  [['gret'], /Did you mean greet\?/],
  [['--zap'], /unknown option '--zap'/],
  [['greet', '--zap'], /unknown option '--zap'/],
  [['greet', '--name'], /option '--name <name>' argument missing/],
  [['greet', 'stray'], /too many arguments/],
  [[], /Usage: mcp-bulkhead/],
];
for (const [args, says] of nonsense)
  test(`"${args.join(' ')}" is a clear error with exit code 2`, async () => {
    const { exitCode, out, err } = await runWith(args);
    assert.equal(exitCode, 2);
    assert.match(err, says);
    assert.equal(out, '');
  });

function failing(error: unknown): Loads {
  return twoCommands(() => {
    throw error;
  });
}

for (const kind of ['options', 'load'] as const)
  test(`an error of kind ${kind} is one readable line, and a stack only with --verbose`, async () => {
    const error = new BulkheadError(kind, 'option "threads.max": expected an integer,\n received "many"');
    const plain = await runWith(['greet'], failing(error));
    assert.equal(plain.exitCode, 1);
    assert.equal(plain.err, 'mcp-bulkhead: option "threads.max": expected an integer, received "many"');
    const verbose = await runWith(['greet', '--verbose'], failing(error));
    assert.match(verbose.err, /\n {4}at /);
  });

test('a package that is not installed is named, with the command that installs it', async () => {
  const missing = await import('@no-such-scope/no-such-package/deep' as string).catch((error: unknown) => error);
  const { exitCode, err } = await runWith(['greet'], failing(missing));
  assert.equal(exitCode, 1);
  assert.match(err, /needs the package "@no-such-scope\/no-such-package".*npm install @no-such-scope\/no-such-package/);
});

test('a command that ends badly without an error says so by its exit code', async () => {
  const loads: Loads = {
    loaded: [],
    entries: [
      {
        name: 'greet',
        summary: 'ends badly',
        load: async () => ({
          register: (command, terminal) => {
            command.action(() => {
              terminal.exitCode = 1;
            });
          },
        }),
      },
    ],
  };
  assert.equal((await runWith(['greet'], loads)).exitCode, 1);
});

test('a reader that has left is no crash', async () => {
  const main = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
  const child = spawn(process.execPath, [main, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let err = '';
  child.stderr.on('data', (text: Buffer) => {
    err += text.toString();
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  assert.deepEqual({ code, err }, { code: 0, err: '' });
});
