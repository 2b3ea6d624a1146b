/**
 * Imports go down only. A room is a folder of `src`, or a file beside them; rooms on one floor do not import each other. The sources
 * are read, so a new file needs a floor here before it can be imported.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** From the cellar up. */
const floors: readonly (readonly string[])[] = [
  ['contract', 'clock', 'version'],
  ['errors', 'sanitise'],
  ['verdict', 'checks'],
  ['threads'],
  ['options'],
  ['limits', 'guards', 'era', 'isolation', 'handler'],
  ['notifications', 'journal', 'plugin'],
  ['answer'],
  ['connection', 'places'],
  ['settings'],
  ['plug'],
  ['bulkhead'],
  ['index'],
  ['testing', 'cli'],
];

const floorOf = new Map(floors.flatMap((rooms, floor) => rooms.map((room) => [room, floor] as const)));

function sources(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}

function imports(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  const found = [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map((match) => match[1] as string);
  return found.map((specifier) => relative(root, resolve(dirname(file), specifier)));
}

const roomOf = (path: string): string => (path.split('/')[1] as string).replace(/\.[jt]s$/, '');

test('every room has a floor, and every floor its rooms', () => {
  const rooms = new Set(sources('src').map((file) => roomOf(relative(root, file))));
  assert.deepEqual(
    [...rooms].filter((room) => !floorOf.has(room)),
    [],
    'rooms without a floor',
  );
  assert.deepEqual(
    [...floorOf.keys()].filter((room) => !rooms.has(room)),
    [],
    'floors without a room',
  );
});

test('imports go down: never up, never to a neighbour', () => {
  const wrong: string[] = [];
  for (const file of sources('src')) {
    const path = relative(root, file);
    const [room, floor] = [roomOf(path), floorOf.get(roomOf(path)) ?? 0];
    for (const target of imports(file)) {
      const inside = target.startsWith('src/') && roomOf(target) === room;
      const below = target.startsWith('src/') && (floorOf.get(roomOf(target)) ?? 99) < floor;
      if (!inside && !below) wrong.push(`${path} imports ${target}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('what runs in threads imports the contract and nothing else of src', () => {
  const wrong: string[] = [];
  for (const file of sources('workers'))
    for (const target of imports(file))
      if (!/^(workers|src\/contract)\//.test(target)) wrong.push(`${relative(root, file)} imports ${target}`);
  assert.deepEqual(wrong, []);
});

test('only the connection room loads the official client, and only when it is needed', () => {
  const wrong: string[] = [];
  for (const file of sources('src')) {
    const text = readFileSync(file, 'utf8');
    const loads = [...text.matchAll(/^import (?!type )[^;]*from '@modelcontextprotocol\/[^']+'/gm)];
    if (loads.length > 0 && !relative(root, file).startsWith('src/cli/')) wrong.push(relative(root, file));
  }
  assert.deepEqual(wrong, []);
});
