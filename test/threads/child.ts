/**
 * The process that rows run in: names of acts in, one JSON line a row out, on a descriptor that no callback may reach by accident.
 */
import { writeSync } from 'node:fs';
import { playRow, type RowSetting } from './row.js';

const settings = JSON.parse(process.argv[2] ?? '[]') as readonly RowSetting[];

for (const setting of settings) {
  writeSync(3, `${JSON.stringify(await playRow(setting))}\n`);
}
