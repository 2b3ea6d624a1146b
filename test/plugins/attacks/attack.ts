/**
 * What one attack is: text that runs as the callback of a plugin, and as the callback of an ordinary handler module for its control.
 */
import type { Permissions } from '../../../src/contract/plugin.js';

export interface Attack {
  /** The mechanism, in a few words. Unique. */
  readonly name: string;
  /** Body of an async function of `context`. It returns whether it got what it should not have. `C` holds what the probe set up. */
  readonly body: string;
  /** Body of a callback of another server that runs afterwards in the same place: does it notice anything? */
  readonly after?: string;
  /** Text before the callbacks, at the top of the file. */
  readonly top?: string;
  /** What is granted for this attack, so that it has more to work with. */
  readonly granted?: Permissions;
  /** When it is killed, in ms. Default 5 000. */
  readonly deadline?: number;
  /** What the body returns is the callback's own result, not a yes or no. */
  readonly raw?: boolean;
  /**
   * Whether the same text succeeds in a plain worker thread, which shows that the attack would work. `false` where there is no such
   * control, because what it attacks exists in a compartment only, or because Node stops it everywhere.
   */
  readonly control: boolean;
}

/** The file that either tier loads. */
export function sourceOf({ body, after = 'return false', top = '', raw = false }: Attack): string {
  const callback = (text: string): string => `async (context) => { const C = context.assigns;\n${text}\n}`;
  return `${top}
const attack = ${callback(body)};
const after = ${callback(after)};
const ask = async (act, context) => ({ escaped: Boolean(await act(context)) });
exports.listRoots = (context) => (context.serverId === 'other' ? ask(after, context) : ${raw ? 'attack(context)' : 'ask(attack, context)'});
`;
}
