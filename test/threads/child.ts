/**
 * The process that rows run in: settings in, one JSON line a row out, on a descriptor that no callback reaches by accident.
 */
import { writeSync } from 'node:fs';
import { playRow, type RowSetting } from './row.js';

const settings = JSON.parse(process.argv[2] ?? '[]') as readonly RowSetting[];

for (const setting of settings) {
  writeSync(3, `${JSON.stringify(await playRow(setting))}\n`);
}
// A thread that cannot be ended would hold up an orderly exit.
process.kill(process.pid, 'SIGKILL');
