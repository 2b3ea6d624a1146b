/**
 * What a measured callback is asked: the user's own request from a file, or a usual one for each callback that the module
 * exports. The guards judge it as they would a server's, so that the callback sees what it would see there.
 */
import { readFile } from 'node:fs/promises';
import type { ContextData, ElicitationMode, InputKind } from '../../contract/handler.js';
import { inputMethods } from '../../era/legacy.js';
import { BulkheadError } from '../../errors.js';
import { admit } from '../../guards/guards.js';
import type { Asked } from '../../guards/policy.js';
import type { Description, Task } from '../../isolation/isolation.js';
import { defaults } from '../../options.js';

export interface Measured {
  readonly kind: InputKind;
  readonly task: Task;
  /** What the answer will be held against. */
  readonly asked: Asked;
}

export interface RawRequest {
  readonly method: string;
  readonly params?: unknown;
}

/** Reads `{ "method": …, "params": … }`; any further members of a JSON-RPC request are ignored. */
export async function readRequest(path: string): Promise<RawRequest> {
  let found: unknown;
  try {
    found = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new BulkheadError('options', `--request ${path}: ${cause instanceof Error ? cause.message : 'unreadable'}`, { cause });
  }
  const { method } = (found ?? {}) as { method?: unknown };
  if (typeof method !== 'string' || !inputMethods.has(method))
    throw new BulkheadError('options', `--request ${path}: "method" must be one of ${[...inputMethods.keys()].join(', ')}`);
  return found as RawRequest;
}

/** A usual request for each input callback of a module. */
export function usualRequests({ callbacks, elicitationModes }: Description): readonly RawRequest[] {
  return [...inputMethods]
    .filter(([, kind]) => callbacks.includes(kind))
    .map(([method, kind]) => ({ method, params: usualParams(kind, elicitationModes) }));
}

function usualParams(kind: InputKind, modes: readonly ElicitationMode[]): unknown {
  if (kind === 'sampling')
    return { messages: [{ role: 'user', content: { type: 'text', text: 'What is the capital of France?' } }], maxTokens: 100 };
  if (kind === 'roots') return undefined;
  if (!modes.includes('form'))
    return { mode: 'url', message: 'Please sign in', url: 'https://example.com/sign-in', elicitationId: '1' };
  return {
    mode: 'form',
    message: 'Where shall the parcel go?',
    requestedSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', title: 'Name', minLength: 1, maxLength: 80 },
        express: { type: 'boolean', title: 'Express', default: false },
      },
      required: ['name'],
    },
  };
}

/** Judged by the guards, with `sampling.context` and `sampling.tools` on; throws `options` where they refuse. */
export function prepare({ method, params }: RawRequest): Measured {
  const kind = inputMethods.get(method) as InputKind;
  const { sampling, elicitation } = defaults.limits;
  const verdict = admit(
    { kind, params },
    {
      revision: '2025-11-25',
      elicitationModes: ['form', 'url'],
      serverOrigin: null,
      idle: false,
      limits: { sampling: { ...sampling, context: true, tools: true }, elicitation },
    },
  );
  if (!verdict.ok)
    throw new BulkheadError('options', `the guards refuse this ${method}: ${verdict.reason} at "${verdict.path ?? ''}"`);
  return { kind, asked: verdict.value, task: taskOf(kind, verdict.value) };
}

function taskOf(kind: InputKind, asked: Asked): Task {
  const context: ContextData = {
    client: 'bench',
    serverId: 'bench',
    era: 'legacy',
    assigns: {},
    relatedRequestId: null,
    kind,
    requestId: 1,
    deadline: Date.now() + defaults.limits.handlerTimeout[kind],
    serverInfo: null,
    ...('findings' in asked ? { elicitation: asked.findings } : {}),
  };
  const params = 'params' in asked ? asked.params : undefined;
  return { kind, serverId: 'bench', connectionId: 1, params, context, state: undefined, busyTimeout: 0, killGrace: 0 };
}
