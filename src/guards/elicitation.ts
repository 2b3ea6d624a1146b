/**
 * Elicitation (behaviours 40 to 48): mode, message, then the form or the URL; and the answer, held against what was asked.
 *
 * Declining and cancelling are answers and carry nothing else: what a person typed before they changed their mind never
 * leaves. An accepted form fits its schema exactly.
 */
import { defaultsOf, isObject, optionsOf } from '../contract/form.js';
import type { ElicitationMode, FormField, FormFindings, FormSchema, JsonObject } from '../contract/handler.js';
import { stripUnsafe } from '../sanitise/text.js';
import { invalidParams, invalidResult, pass, type Verdict } from '../verdict.js';
import { parseForm } from './form.js';
import type { Asked, GuardPolicy } from './policy.js';
import { speaksOfSecret } from './secrets.js';
import { judgeUrl } from './url.js';

type AskedForm = Extract<Asked, { kind: 'form' }>;
type AskedUrl = Extract<Asked, { kind: 'url' }>;

/** UTF-16 units. A message is for a person to read. */
const maxMessage = 64 * 1024;
const maxId = 1024;

export function admitElicitation(params: unknown, policy: GuardPolicy): Verdict<Asked> {
  if (!isObject(params)) return invalidParams('params must be an object', '');
  const mode = params.mode === undefined ? 'form' : params.mode;
  if (mode !== 'form' && mode !== 'url') return invalidParams('the mode must be "form" or "url"', '/mode');
  if (!declared(mode, policy)) return invalidParams(`the mode "${mode}" was not declared`, '/mode');
  const { message } = params;
  if (typeof message !== 'string') return invalidParams('must be a string', '/message');
  if (message.length > maxMessage) return invalidParams(`must have at most ${maxMessage} characters`, '/message');
  return mode === 'form' ? admitForm(params, message, policy) : admitUrl(params, message, policy);
}

/** Revision 2025-06-18 has no modes but the form, whatever was offered. */
function declared(mode: ElicitationMode, { elicitationModes, revision }: GuardPolicy): boolean {
  return elicitationModes.includes(mode) && (mode === 'form' || revision !== '2025-06-18');
}

function admitForm(params: JsonLike, message: string, policy: GuardPolicy): Verdict<AskedForm> {
  const form = parseForm(params.requestedSchema, policy.revision !== '2025-06-18');
  if (!form.ok) return form;
  const { schema, json, secrets, textAltered } = form.value;
  const { text, altered } = stripUnsafe(message);
  return pass({
    kind: 'form',
    params: { mode: 'form', message: text, requestedSchema: schema as unknown as JsonObject },
    json: `{"mode":"form","message":${JSON.stringify(text)},"requestedSchema":${json}}`,
    findings: { mode: 'form', fields: withMessage(secrets, message, schema), textAltered: textAltered || altered },
    form: form.value,
    applyDefaults: policy.limits.elicitation.applyDefaults,
  });
}

/** A message that asks for a secret speaks of the one field a person can type into, if there is just one ("Paste your key"). */
function withMessage(fields: FormFindings['fields'], message: string, schema: FormSchema): FormFindings['fields'] {
  const [name, second] = Object.keys(schema.properties).filter((key) => isFreeText(schema.properties[key]));
  if (name === undefined || second !== undefined || !speaksOfSecret(message)) return fields;
  return { ...fields, [name]: { sensitiveSuspected: true } };
}

const isFreeText = (field: FormField | undefined): boolean => field?.type === 'string' && optionsOf(field) === undefined;

function admitUrl(params: JsonLike, message: string, policy: GuardPolicy): Verdict<AskedUrl> {
  const id = elicitationId(params, policy);
  if (!id.ok) return id;
  const judged = judgeUrl(params.url, {
    allowLoopbackHttp: policy.limits.elicitation.allowLoopbackHttp,
    serverOrigin: policy.serverOrigin,
  });
  if (!judged.ok) return judged;
  const { text, altered } = stripUnsafe(message);
  return pass({
    kind: 'url',
    params: { mode: 'url', message: text, url: judged.value.url, ...id.value },
    findings: { mode: 'url', ...judged.value, textAltered: altered },
  });
}

/** Required in 2025-11-25; the next revision removed it, so there it is ignored. */
function elicitationId(params: JsonLike, { revision }: GuardPolicy): Verdict<{ elicitationId?: string }> {
  if (revision !== '2025-11-25') return pass({});
  const { elicitationId } = params;
  if (typeof elicitationId !== 'string' || elicitationId.length > maxId)
    return invalidParams(`elicitationId must be a string of at most ${maxId} characters`, '/elicitationId');
  return pass({ elicitationId });
}

type JsonLike = { readonly [key: string]: unknown };

export function releaseForm(said: unknown, { form, applyDefaults }: AskedForm): Verdict<JsonObject> {
  const answer = readAnswer(said);
  if (!answer.ok || answer.value.action !== 'accept') return bare(answer);
  const { content = {} } = answer.value;
  const filled = applyDefaults && isObject(content) ? { ...defaultsOf(form.schema), ...content } : content;
  const [fault] = form.check(filled);
  if (fault !== undefined) return invalidResult(fault.reason, `/content${fault.path}`);
  return pass({ action: 'accept', content: filled as JsonObject });
}

export function releaseUrl(said: unknown): Verdict<JsonObject> {
  return bare(readAnswer(said));
}

interface Answer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: unknown;
}

function readAnswer(said: unknown): Verdict<Answer> {
  if (!isObject(said)) return invalidResult('must be an object with an action', '');
  const { action, content } = said;
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel')
    return invalidResult('must be accept, decline or cancel', '/action');
  return pass(content === undefined ? { action } : { action, content });
}

/** The action alone. */
function bare(answer: Verdict<Answer>): Verdict<JsonObject> {
  if (!answer.ok) return answer;
  const { action, content } = answer.value;
  const stripped = content !== undefined && content !== null;
  return pass({ action }, stripped ? [`content of the answer "${action}" was removed`] : []);
}
