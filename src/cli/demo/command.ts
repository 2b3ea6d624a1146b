/**
 * `mcp-bulkhead demo`: the main job on an embedded default, ending with exit code 0 only if everything it claims happened.
 *
 * Three servers are connected in five ways and asked to ask. What follows is the report: every request, every claim with the
 * fact behind it, and one line of sums.
 */
import { writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { type Bulkhead, createBulkhead } from '../../index.js';
import type { Terminal } from '../terminal.js';
import { answersOf } from './acts.js';
import { renderClaims } from './claims.js';
import { locateServers } from './packages.js';
import type { Played } from './play.js';
import { renderRecords } from './table.js';

interface DemoOptions {
  readonly json?: string;
  readonly handler?: string;
}

const example = new URL('../../../examples/handlers/desk.js', import.meta.url);

export function register(command: Command, terminal: Terminal): void {
  command
    .description('Real servers ask for sampling, forms, pages and roots; callbacks in killable worker threads answer.')
    .option('--handler <file>', 'a handler module of your own, in place of the example')
    .option('--json <file>', 'write every record, claim and sum to this file as well')
    .action((options: DemoOptions) => demo(options, terminal));
}

async function demo(options: DemoOptions, terminal: Terminal): Promise<void> {
  const everything = locateServers();
  // Only now, since it loads the server packages.
  const { play } = await import('./play.js');
  const handler = options.handler === undefined ? example : pathToFileURL(resolve(options.handler));
  const bulkhead = await createBulkhead({ handler, name: 'demo host' });
  terminal.print(head(bulkhead, handler, terminal));
  const played = await play(bulkhead, { everything }, terminal);
  terminal.print(`\n${renderRecords(played.records, terminal)}`);
  terminal.print(`\n${renderClaims(played.claims, terminal)}`);
  terminal.print(`\n${sums(played, terminal)}`);
  if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(played, null, 2)}\n`);
  terminal.exitCode = played.claims.every((claim) => claim.holds) ? 0 : 1;
}

function head({ capabilities }: Bulkhead, handler: URL, { paint }: Terminal): string {
  const answered = Object.entries(answersOf(capabilities)).flatMap(([name, yes]) => (yes ? [name] : []));
  return [
    paint.bold('mcp-bulkhead demo'),
    'Servers ask their host for input. Callbacks in worker threads answer, and one hangs on purpose.',
    '',
    `handler module  ${relative(process.cwd(), fileURLToPath(handler))}`,
    `it answers      ${answered.length === 0 ? 'nothing' : answered.join(', ')}`,
    '',
  ].join('\n');
}

function sums({ records, claims, threadsLeft, seconds }: Played, { paint }: Terminal): string {
  const count = (outcome: string) => records.filter((record) => record.outcome === outcome).length;
  const failed = records.length - count('answered') - count('refused') - count('killed');
  const held = claims.filter((claim) => claim.holds).length;
  const parts = [
    `${count('answered')} requests answered`,
    `${count('refused')} refused by guards`,
    `${count('killed')} killed`,
    ...(failed > 0 ? [`${failed} failed otherwise`] : []),
    `threads left: ${threadsLeft}`,
    `${held} of ${claims.length} claims hold`,
  ];
  return `${paint.bold(parts.join(', '))} ${paint.dim(`(${seconds.toFixed(1)} s)`)}`;
}
