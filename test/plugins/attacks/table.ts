/**
 * Findings as a table in Markdown: one row an attack, one column a tier. `node dist/test/plugins/attacks/table.js FILE` makes all
 * attempts anew and writes the file.
 *
 *   stopped        it got nothing: what it wanted is not there, or is refused
 *   contained      it had its way in the place where it ran, that place was ended, and the next callback was answered
 *   not promised   it got out, or the host did not go on: the tier does not claim otherwise
 */
import { writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import type { Attack } from './attack.js';
import { attemptAll, type Finding } from './attempt.js';
import { escapes } from './escapes.js';
import type { Tier } from './probe.js';
import { resources } from './resources.js';

export type Class = 'stopped' | 'contained' | 'not promised';
export const tiers: readonly Tier[] = ['thread', 'compartment', 'process'];

export function classOf({ verdict, outcome = '' }: Finding): Class {
  if (verdict !== 'stopped') return 'not promised';
  return /^(?:killed|memory|exit|lost)/.test(outcome) ? 'contained' : 'stopped';
}

export function tableOf(title: string, attacks: readonly Attack[], findings: readonly Finding[]): string {
  const cell = (tier: Tier, { name }: Attack): string => {
    const finding = findings.find((found) => found.tier === tier && found.attack === name);
    if (finding === undefined) return '';
    const found = classOf(finding);
    return found === 'not promised' ? `${found} (${finding.verdict})` : found;
  };
  const rows = attacks.map((attack) => `| ${attack.name} | ${tiers.map((tier) => cell(tier, attack)).join(' | ')} |`);
  const count = (tier: Tier): string => {
    const classes = findings.filter((found) => found.tier === tier).map(classOf);
    return (['stopped', 'contained', 'not promised'] as const)
      .map((kind) => `${classes.filter((found) => found === kind).length} ${kind}`)
      .join(', ');
  };
  const sums = tiers.map((tier) => `- \`${tier}\`: ${count(tier)}`).join('\n');
  const head = `| attempt | ${tiers.map((tier) => `\`${tier}\``).join(' | ')} |\n|---|${tiers.map(() => '---|').join('')}`;
  return `## ${title}\n\n${sums}\n\n${head}\n${rows.join('\n')}\n`;
}

async function all(attacks: readonly Attack[], atOnce: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const tier of tiers) findings.push(...(await attemptAll(tier, attacks, atOnce)));
  return findings;
}

async function write(file: string): Promise<void> {
  const out = tableOf(`Ways out (${escapes.length})`, escapes, await all(escapes, 2));
  const eaten = tableOf(`Ways to eat what there is (${resources.length})`, resources, await all(resources, 1));
  const intro = `# What each tier does with hostile callbacks

Made by \`node dist/test/plugins/attacks/table.js\`, on Node ${process.version}, ${process.platform}. Each attempt runs in a host process of its own.
**stopped**: it got nothing. **contained**: what it did was ended together with the place it ran in, and the next callback was answered.
**not promised**: it got out or the host did not go on, and the tier does not claim otherwise. [SECURITY.md](../SECURITY.md) says what each tier claims.

In the tiers \`thread\` and \`compartment\` what eats memory is contained by a watch that may come too late: another machine, another Node or another day
may end the host there. Only \`process\` promises that it does not.
`;
  writeFileSync(file, `${intro}\n${out}\n${eaten}`);
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) await write(argv[2] ?? 'docs/hostile.md');
