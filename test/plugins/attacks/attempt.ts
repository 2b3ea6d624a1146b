/**
 * Lets a probe make one attack in one tier, and says what came of it.
 */
import { fork } from 'node:child_process';
import type { Attack } from './attack.js';
import type { Sighting, Tier } from './probe.js';

/** `escaped`: it got out. `died`, `hung`: the host did. `stopped`: it got nothing. */
export type Finding = Sighting & { readonly tier: Tier; readonly attack: string; readonly verdict: Verdict };
export type Verdict = 'stopped' | 'escaped' | 'host died' | 'host hung';

const probe = new URL('./probe.js', import.meta.url);
const longest = 90_000;

export async function attempt(tier: Tier, { name: attack }: Attack): Promise<Finding> {
  const child = fork(probe, [tier, attack], {
    env: { PATH: process.env.PATH, SECRET: 'of the environment' },
    execArgv: ['--no-warnings'],
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  let printed = '';
  let sighting: Sighting | undefined;
  let hung = false;
  child.stdout?.on('data', (text) => {
    printed += text;
  });
  child.on('message', (message) => {
    sighting = message as Sighting;
  });
  const timer = setTimeout(() => {
    hung = true;
    child.kill('SIGKILL');
  }, longest);
  await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  const found = sighting ?? {};
  return { ...found, tier, attack, verdict: verdictOf(sighting, hung, printed) };
}

function verdictOf(sighting: Sighting | undefined, hung: boolean, printed: string): Verdict {
  if (sighting === undefined) return hung ? 'host hung' : 'host died';
  if (sighting.escaped === true || printed.includes('INJECTED')) return 'escaped';
  return sighting.refused === undefined && sighting.next === null ? 'host hung' : 'stopped';
}

/** So many at a time; findings in the order of the attacks. */
export async function attemptAll(tier: Tier, attacks: readonly Attack[], atOnce = 2): Promise<Finding[]> {
  const findings: Finding[] = [];
  const waiting = attacks.map((attack, index) => ({ attack, index }));
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      findings[next.index] = await attempt(tier, next.attack);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return findings;
}
