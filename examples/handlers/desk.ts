/**
 * A handler module to copy: what a small desktop agent answers when a server asks its host for something.
 *
 * It fills forms from a profile, leaves out what smells of a secret and declines if that was required; it consents to pages of
 * domains it trusts, offers one folder, and answers sampling with a canned reply where yours would ask a person and then a
 * model. What a module exports is what its servers are told the host can do.
 */
import {
  type ElicitationCallback,
  type ElicitationMode,
  type FormParams,
  type FormValue,
  type RootsCallback,
  refuse,
  type SamplingCallback,
  type SamplingMessage,
} from 'mcp-bulkhead/handler';

export const elicitationModes: readonly ElicitationMode[] = ['form', 'url'];

const profile: ReadonlyMap<string, FormValue> = new Map<string, FormValue>([
  ['name', 'Ada Lovelace'],
  ['email', 'ada@example.com'],
  ['city', 'London'],
  ['destination', 'Lisbon'],
  ['nights', 3],
  ['agree', true],
]);

const trustedDomains: ReadonlySet<string> = new Set(['example.com', 'modelcontextprotocol.io']);

export const handleElicitation: ElicitationCallback = (params, context) => {
  const found = context.elicitation;
  if (params.mode === 'form') {
    const content = fill(params, (name) => found?.mode !== 'form' || found.fields[name]?.sensitiveSuspected === true);
    return content === null ? { action: 'decline' } : { action: 'accept', content };
  }
  const trusted = found?.mode === 'url' && !found.mixedScript && trustedDomains.has(found.registrableDomain ?? '');
  return { action: trusted ? 'accept' : 'decline' };
};

/** Fields from the profile or their own default, never a secret; null if a required one stays empty. */
function fill({ requestedSchema }: FormParams, isSecret: (name: string) => boolean): Record<string, FormValue> | null {
  const content: Record<string, FormValue> = {};
  for (const [name, field] of Object.entries(requestedSchema.properties)) {
    const value = profile.get(name) ?? (field.default as FormValue | undefined);
    if (value !== undefined && !isSecret(name)) content[name] = value;
  }
  return (requestedSchema.required ?? []).every((name) => name in content) ? content : null;
}

export const handleSampling: SamplingCallback = (params, context) => {
  const prompt = lastText(params.messages);
  // Legacy servers receive exactly this error; in the modern era the call that needed the answer fails instead.
  if (prompt === '') return refuse(-1, 'There is nothing to answer');
  const text = `${context.client} would answer ${context.serverId}: "${prompt.slice(0, 60)}"`;
  return { role: 'assistant', model: 'canned', content: { type: 'text', text } };
};

function lastText(messages: readonly SamplingMessage[]): string {
  const content = messages.at(-1)?.content ?? [];
  const blocks = 'type' in content ? [content] : content;
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

export const listRoots: RootsCallback = () => ({ roots: [{ uri: process.cwd(), name: 'the folder it was started in' }] });
