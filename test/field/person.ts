/** The handler module for published servers: Ada fills forms with her name (and means the snake), opens pages and sees them through, and offers the host's folders. */
import type {
  CallbackContext,
  ElicitationCallback,
  ElicitationMode,
  RootsResult,
  SamplingCallback,
} from '../../src/contract/handler.js';

export const elicitationModes: readonly ElicitationMode[] = ['form', 'url'];

export const handleElicitation: ElicitationCallback = (params) => {
  if (params.mode === 'url') return { action: 'accept', completed: true };
  const asksForTopic = 'interpretation' in params.requestedSchema.properties;
  return { action: 'accept', content: asksForTopic ? { interpretation: 'snake' } : { name: 'Ada' } };
};

export const handleSampling: SamplingCallback = () => ({
  role: 'assistant',
  model: 'person',
  content: { type: 'text', text: 'Good day.' },
});

interface Services {
  readonly folders: () => Promise<unknown>;
  readonly [name: string]: (data?: unknown) => Promise<unknown>;
}

export async function listRoots({ host }: CallbackContext<Services>): Promise<RootsResult> {
  return { roots: ((await host.folders()) as string[]).map((uri) => ({ uri })) };
}
