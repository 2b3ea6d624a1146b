/**
 * The command line as a function: arguments and a terminal in, exit code out. It never ends the process and never prints a
 * stack unless `--verbose` asks for one.
 *
 * Invariant: only the module of the command that was asked for is loaded.
 */
import { Command } from 'commander';
import { packageVersion } from '../version.js';
import { type CommandEntry, commands } from './commands.js';
import { failureOf } from './failure.js';
import type { Terminal } from './terminal.js';

/** Runs one command line (without the leading `node` and script) and resolves with its exit code. */
export async function run(
  args: readonly string[],
  terminal: Terminal,
  entries: readonly CommandEntry[] = commands,
): Promise<number> {
  try {
    const program = await buildProgram(args, terminal, entries);
    await program.parseAsync([...args], { from: 'user' });
    return terminal.exitCode;
  } catch (error) {
    return report(error, args, terminal);
  }
}

async function buildProgram(args: readonly string[], terminal: Terminal, entries: readonly CommandEntry[]): Promise<Command> {
  const program = new Command('mcp-bulkhead')
    .description('The runtime in which an MCP host answers its servers: killable callbacks behind guards.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .option('--verbose', 'print stacks of errors')
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.warn(text.trimEnd()),
      getOutHelpWidth: () => terminal.columns,
      getErrHelpWidth: () => terminal.columns,
    })
    .showHelpAfterError('(mcp-bulkhead --help lists what there is)')
    .exitOverride();
  const wanted = args.find((arg) => !arg.startsWith('-'));
  const chosen = wanted === 'help' ? args.filter((arg) => !arg.startsWith('-'))[1] : wanted;
  for (const entry of entries) await declare(program, entry, entry.name === chosen, terminal);
  return program;
}

async function declare(program: Command, entry: CommandEntry, chosen: boolean, terminal: Terminal): Promise<void> {
  const command = program
    .command(entry.name)
    .summary(entry.summary)
    .description(entry.summary)
    .option('--verbose', 'print stacks of errors');
  if (chosen) (await entry.load()).register(command, terminal);
}

function report(error: unknown, args: readonly string[], terminal: Terminal): number {
  const { line, exitCode } = failureOf(error);
  if (line !== '') terminal.warn(`mcp-bulkhead: ${line}`);
  if (args.includes('--verbose') && error instanceof Error && line !== '') terminal.warn(error.stack ?? '');
  return exitCode;
}
