/** The form of the benches: six fields of every type, one with a pattern, and the answer that fits it. */
import type { ElicitationCallback, ElicitationResult, FormParams } from '../../src/contract/handler.js';

export const form: FormParams = Object.freeze<FormParams>({
  mode: 'form',
  message: 'Where shall the parcel go?',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name', minLength: 1, maxLength: 80 },
      mail: { type: 'string', title: 'Mail', format: 'email' },
      postcode: { type: 'string', title: 'Postcode', pattern: '^[0-9]{5}$' },
      parcels: { type: 'integer', title: 'Parcels', minimum: 1, maximum: 20, default: 1 },
      express: { type: 'boolean', title: 'Express', default: false },
      slot: { type: 'string', title: 'Slot', enum: ['morning', 'noon', 'evening'] },
    },
    required: ['name', 'mail', 'postcode'],
  },
});

const content = Object.freeze({
  name: 'Ada Lovelace',
  mail: 'ada@example.com',
  postcode: '10115',
  parcels: 2,
  express: true,
  slot: 'noon',
});

/** What the callback answers. */
export const accepted: ElicitationResult = Object.freeze({ action: 'accept', content });

export const handleElicitation: ElicitationCallback = async () => accepted;

/** Whether this is the accepted form. */
export function isAccepted(result: unknown): boolean {
  const { action, content: said } = (result ?? {}) as { action?: unknown; content?: { postcode?: unknown } };
  return action === 'accept' && said?.postcode === content.postcode;
}
