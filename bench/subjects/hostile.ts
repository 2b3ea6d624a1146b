/** What must be refused before it costs the main thread anything to speak of. */
import { admit, release } from '../../src/guards/guards.js';
import type { Asked } from '../../src/guards/policy.js';
import { policy } from './asked.js';

export interface Hostile {
  readonly name: string;
  /** False is right: it must not pass. */
  judge(): boolean;
}

const large = 'x'.repeat(5_000_000);

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

const named = (count: number, value: unknown): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, value]));

function form(properties: object): () => boolean {
  const params = { message: 'm', requestedSchema: { type: 'object', properties } };
  return () => admit({ kind: 'elicitation', params }, policy).ok;
}

function sampling(more: object): () => boolean {
  const params = { messages: [], maxTokens: 1, ...more };
  return () => admit({ kind: 'sampling', params }, policy).ok;
}

function answer(properties: object, content: unknown): () => boolean {
  const params = { message: 'm', requestedSchema: { type: 'object', properties } };
  const asked = admit({ kind: 'elicitation', params }, policy);
  if (!asked.ok) throw new Error('the form of a hostile answer must pass');
  const said = { action: 'accept', content };
  return () => release(said, asked.value as Asked).ok;
}

const evil = { x: { type: 'string', pattern: '^(a+)+$' } };

export const hostile: readonly Hostile[] = [
  { name: 'answer to ^(a+)+$, 31 characters', judge: answer(evil, { x: `${'a'.repeat(30)}!` }) },
  { name: 'answer to ^(a+)+$, 20 000 characters', judge: answer(evil, { x: `${'a'.repeat(20_000)}!` }) },
  { name: 'answer of 5 MB', judge: answer({ x: { type: 'string', maxLength: 10 } }, { x: large }) },
  { name: 'answer 10 000 levels deep', judge: answer({ x: { type: 'string' } }, { x: deep(10_000) }) },
  { name: 'answer of 20 000 unknown keys', judge: answer({}, named(20_000, 1)) },
  { name: 'form of 20 000 fields', judge: form(named(20_000, { type: 'string' })) },
  { name: 'form 10 000 levels deep', judge: form({ a: { type: 'string', note: deep(10_000) } }) },
  { name: 'form with a text of 5 MB', judge: form({ a: { type: 'string', description: large } }) },
  { name: 'sampling with a text of 5 MB', judge: sampling({ systemPrompt: large }) },
  { name: 'sampling 10 000 levels deep', judge: sampling({ metadata: { a: deep(10_000) } }) },
];
