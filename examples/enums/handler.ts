/** Turns every kind of choice into the one thing a dialog needs: what to show, what to send, and how many may be taken. */
import { type ElicitationCallback, type FormField, type FormValue, refuse } from 'mcp-bulkhead/handler';
import type { Services } from './host.js';

export interface Choice {
  readonly field: string;
  readonly several: boolean;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** Where the options of a field may stand. The guard has let nothing else through. */
interface Options {
  readonly enum?: readonly string[];
  readonly enumNames?: readonly string[];
  readonly oneOf?: readonly { readonly const: string; readonly title: string }[];
  readonly anyOf?: readonly { readonly const: string; readonly title: string }[];
}

function choiceOf([field, schema]: readonly [string, FormField]): Choice {
  const several = schema.type === 'array';
  const found = (several ? schema.items : schema) as Options;
  const titled = found.oneOf ?? found.anyOf;
  const options =
    titled?.map((option) => ({ value: option.const, label: option.title })) ??
    found.enum?.map((value, at) => ({ value, label: found.enumNames?.[at] ?? value })) ??
    [];
  return { field, several, options };
}

export const handleElicitation: ElicitationCallback<Services> = async (params, { host }) => {
  if (params.mode !== 'form') throw refuse(-32602, 'this host shows forms only');
  const content: Record<string, FormValue> = {};
  for (const choice of Object.entries(params.requestedSchema.properties).map(choiceOf)) {
    const taken = await host.choose(choice);
    // A field that nobody filled in is left out: `[]` would be an answer, and a wrong one where `minItems` is 1.
    if (taken.length > 0) content[choice.field] = choice.several ? taken : String(taken[0]);
  }
  return { action: 'accept', content };
};
