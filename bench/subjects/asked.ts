/** What the guards are measured on: the six-field form, a long conversation, log entries of four kilobytes, and a policy. */
import type { GuardPolicy } from '../../src/guards/policy.js';
import { defaults } from '../../src/options.js';
import { form } from './form.js';

export const policy: GuardPolicy = {
  revision: '2025-11-25',
  elicitationModes: ['form', 'url'],
  serverOrigin: null,
  idle: false,
  limits: { ...defaults.limits, sampling: { ...defaults.limits.sampling, tools: true, maxToolIterations: 100 } },
};

/** As it comes off the wire: fresh objects each time. */
export const formText: string = JSON.stringify(form);

/** The same form with another description, so that no cache knows it. */
export function formNumber(number: number): unknown {
  const { requestedSchema } = form;
  const name = { ...requestedSchema.properties.name, description: `form ${number}` };
  return { ...form, requestedSchema: { ...requestedSchema, properties: { ...requestedSchema.properties, name } } };
}

const user = (block: object): object => ({ role: 'user', content: [block] });
const assistant = (block: object): object => ({ role: 'assistant', content: [block] });

const sentence = 'the quick brown fox jumps over the lazy dog; ';

/** Two hundred messages, every tenth pair a tool call with its result. */
export const conversation: unknown = {
  maxTokens: 1000,
  tools: [{ name: 'add', inputSchema: { type: 'object' } }],
  messages: Array.from({ length: 100 }, (_, at) => pair(at)).flat(),
};

function pair(at: number): readonly object[] {
  const text = { type: 'text', text: sentence.repeat(6) };
  if (at % 10 !== 9) return [user(text), assistant(text)];
  const id = `call ${at}`;
  return [
    assistant({ type: 'tool_use', id, name: 'add', input: { at } }),
    user({ type: 'tool_result', toolUseId: id, content: [text] }),
  ];
}

function entry(text: string): { level: string; logger: string; data: object } {
  const lines = Array.from({ length: 16 }, (_, at) => ({ at, text }));
  return { level: 'info', logger: 'bench', data: { lines } };
}

const mixed = 'Überprüfung 漢字かな한국어 👩‍👩‍👧 naïve café привет שלום — ';

/** Four kilobytes of plain letters. */
export const asciiEntry: unknown = entry(sentence.repeat(5));
/** Four kilobytes of letters from everywhere, with emoji, escapes and marks. */
export const mixedEntry: unknown = entry(`${mixed.repeat(2)}\u001b[31m\u202e`);
/** One text of four kilobytes that must be cut by graphemes. */
export const longEntry: unknown = { level: 'info', data: mixed.repeat(80) };
