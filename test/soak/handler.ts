/** Callbacks that do as the question says, in a real thread: answer, refuse, throw, hang, spin, leave the thread. */
import { type Json, refuse } from '../../src/handler.js';

function spin(): never {
  for (;;);
}

async function obey<T>(order: string, answer: T): Promise<T> {
  switch (order) {
    case 'refuse':
      throw refuse(7, 'no');
    case 'throw':
      throw new TypeError('as told');
    case 'hang':
      return new Promise(() => {});
    case 'spin':
      return spin();
    case 'exit':
      return process.exit(3);
    case 'wait':
      await new Promise((resolve) => setTimeout(resolve, 2));
      return answer;
    default:
      return answer;
  }
}

export const handleElicitation = ({ message }: { readonly message: string }): Promise<Json> =>
  obey<Json>(message, { action: 'accept', content: {} });

export const handleSampling = ({ systemPrompt }: { readonly systemPrompt?: string }): Promise<Json> =>
  obey<Json>(systemPrompt ?? '', { role: 'assistant', model: 'm', content: { type: 'text', text: 'ok' } });

export const listRoots = (): Promise<Json> => obey<Json>('', { roots: [{ uri: 'file:///work' }] });
