// Makes a checkout ready: installs the locked packages when what is installed is not what the lock file says, then compiles.
// `npm start`, `npm test` and `.ci/run` all begin here, so a fresh clone needs no other command.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const stamp = at('node_modules/.installed-lock');

function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    cwd: at('.'),
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (error) console.error(`setup: could not start "${command}": ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const locked = createHash('sha256')
  .update(readFileSync(at('package-lock.json')))
  .digest('hex');
if (read(stamp) !== locked) {
  console.error('setup: installing packages (first run, or the lock file changed)');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(stamp, locked);
}
rmSync(at('dist'), { recursive: true, force: true });
run(process.execPath, [at('node_modules/typescript/bin/tsc'), '-p', at('tsconfig.json')]);
