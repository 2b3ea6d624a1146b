/**
 * Starts a plugin's child process: with no environment, no inherited descriptor but the channel, a directory of no meaning, and,
 * where the platform has it, a bound on its data segment below which no allocation can jump.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parse } from 'node:path';
import { ownFile } from './own-file.js';

const shell = '/bin/sh';

/** Asked when a child starts, not on import: under a permission model the look itself may throw, which is a no too. */
function hasShell(): boolean {
  try {
    return process.platform === 'linux' && existsSync(shell);
  } catch {
    return false;
  }
}

/** What Windows and Electron need to start at all; nothing of the host's own. */
function environment(): Record<string, string> {
  const { SystemRoot } = process.env;
  return {
    ...(process.platform === 'win32' && SystemRoot !== undefined ? { SystemRoot } : {}),
    ...(process.versions.electron === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' }),
  };
}

/** `maxDataMb` bounds heap, stacks and private mappings together; exceeding it is a failed allocation inside, not a slow host. */
export function launch(maxDataMb: number): ChildProcess {
  const node = [process.execPath, '--no-warnings', ownFile('child.js')] as const;
  const [command, args] = hasShell()
    ? ([shell, ['-c', `ulimit -c 0; ulimit -d ${maxDataMb * 1024}; exec "$0" "$@"`, ...node]] as const)
    : ([node[0], node.slice(1)] as const);
  return spawn(command, args, {
    env: environment(),
    cwd: parse(process.execPath).root,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    windowsHide: true,
  });
}
