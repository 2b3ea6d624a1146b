/**
 * What `mcp-bulkhead` can do: one line a command, each in a file of its own that is loaded only when it runs.
 *
 * So `--help` costs nothing, and what one command needs (server packages, charts, a bundler) is never asked of another. A
 * command's file exports `register`, which declares arguments and action on the commander command made for it.
 */
import type { Command } from 'commander';
import type { Terminal } from './terminal.js';

/** What the file of a command exports. */
export interface CommandModule {
  /** Declares options and `action` on `command`. The action sets `terminal.exitCode`, or throws. */
  register(command: Command, terminal: Terminal): void;
}

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<CommandModule>;
}

export const commands: readonly CommandEntry[] = [
  {
    name: 'demo',
    summary: 'the main job end to end: real servers ask, callbacks answer, every claim is checked',
    load: () => import('./demo/command.js'),
  },
  { name: 'plugin', summary: 'build, check and pack a plugin', load: () => import('./plugin.js') },
  { name: 'bench', summary: 'measure your own callback inline and in each tier', load: () => import('./bench.js') },
];
