/**
 * The handler module of the field tests: it answers with what it was told. Forms are filled with the call's `assigns` and the
 * request they came with; a message such as `sleep 400`, `spin`, `throw`, `exit`, `refuse`, `return nothing` makes it do that.
 */
import type {
  CallbackContext,
  ElicitationCallback,
  ElicitationMode,
  RootsCallback,
  SamplingCallback,
  SamplingParams,
} from '../../src/contract/handler.js';
import { type Refusal, refuse } from '../../src/contract/handler.js';

/** What a callback must never let out. */
export const secret = 'the launch code is 0000';
export const refusal: { readonly code: number; readonly message: string; readonly data: { readonly why: string } } = {
  code: -7777,
  message: 'Not on a Sunday',
  data: { why: 'calendar' },
};

/** What the module knows of a request, as JSON in its answers. */
export interface Revealed {
  readonly assigns: unknown;
  readonly relatedRequestId: unknown;
  readonly serverId: string;
}

export const elicitationModes: readonly ElicitationMode[] = ['form', 'url'];

export const handleElicitation: ElicitationCallback = async (params, context) => {
  const told = await obey(params.message);
  if (told !== undefined) return told as never;
  if (params.mode === 'url') return params.message === 'tell the origin' ? originOf(context) : { action: 'accept' };
  const names = Object.keys(params.requestedSchema.properties);
  return { action: 'accept', content: Object.fromEntries(names.map((name) => [name, reveal(context)])) };
};

export const handleSampling: SamplingCallback = async (params, context) => {
  const told = await obey(textIn(params));
  if (told !== undefined) return told as never;
  return { role: 'assistant', model: 'revealing', content: { type: 'text', text: reveal(context) } };
};

export const listRoots: RootsCallback = (context) => ({ roots: [{ uri: 'file:///work', name: reveal(context) }] });

function reveal({ assigns, relatedRequestId, serverId }: CallbackContext): string {
  return JSON.stringify({ assigns, relatedRequestId, serverId } satisfies Revealed);
}

function originOf({ elicitation }: CallbackContext): Refusal {
  return refuse(refusal.code, 'origin', { mismatch: elicitation?.mode === 'url' && elicitation.originMismatch });
}

function textIn({ messages }: SamplingParams): string {
  const content = messages.at(-1)?.content ?? [];
  const [first] = 'type' in content ? [content] : content;
  return first?.type === 'text' ? first.text : '';
}

/** Does what the message says; undefined means: go on and answer. */
async function obey(message: string): Promise<Refusal | string | undefined> {
  const [verb, ...rest] = message.split(' ');
  if (verb === 'sleep') await new Promise((resolve) => setTimeout(resolve, Number(rest[0])));
  if (verb === 'spin') for (;;);
  if (verb === 'throw') throw Object.assign(new Error(secret), { code: -32001, data: { secret } });
  if (verb === 'exit') process.exit(3);
  if (verb === 'refuse') return refuse(refusal.code, refusal.message, refusal.data);
  if (verb === 'return') return 'nothing like an answer';
  return undefined;
}
