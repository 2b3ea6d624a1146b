/**
 * The published schema `mcp-bulkhead/manifest.schema.json` is what is checked: one truth for editors, authors and the loader.
 * The validator is loaded with the first plugin, so that hosts without plugins never pay for it.
 *
 * Invariant: a fault names the field and what was wanted of it, never more of the value than a short spelling.
 */
import { readFileSync } from 'node:fs';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { describe } from '../checks.js';
import { BulkheadError } from '../errors.js';

export interface Fault {
  /** Dotted path of the field, such as `permissions.fetch.origins`; empty for the whole. */
  readonly field: string;
  readonly expected: string;
  readonly received: string;
}

/** The whole manifest, or one of its definitions. */
export type Part = 'manifest' | 'permissions' | 'limits';

let compiled: Promise<Record<Part, ValidateFunction>> | undefined;

async function compile(): Promise<Record<Part, ValidateFunction>> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const file = new URL('../../../manifest.schema.json', import.meta.url);
  const schema = JSON.parse(readFileSync(file, 'utf8')) as { $id: string };
  const ajv = new Ajv2020({ strict: true, strictTypes: false, verbose: true, logger: false });
  ajv.addSchema(schema);
  const part = (path: string): ValidateFunction => ajv.getSchema(`${schema.$id}${path}`) as ValidateFunction;
  return { manifest: part(''), permissions: part('#/$defs/permissions'), limits: part('#/$defs/limits') };
}

/** The first fault of `value`, or null. */
export async function fault(part: Part, value: unknown): Promise<Fault | null> {
  compiled ??= compile().catch(hindered);
  const validate = (await compiled)[part];
  if (validate(value)) return null;
  return explain(validate.errors?.[0] as ErrorObject);
}

/** The validator is compiled, and so is a plugin: an engine that may not do the one could not do the other. */
function hindered(error: unknown): never {
  if (!(error instanceof EvalError)) throw error;
  throw new BulkheadError('load', 'plugins need code generation from strings, which this process disallows', { cause: error });
}

function explain(error: ErrorObject): Fault {
  const field = dotted(error.instancePath);
  const { keyword, params, data } = error;
  const inside = (name: string): string => (field === '' ? name : `${field}.${name}`);
  switch (keyword) {
    case 'additionalProperties':
      return { field: inside(params.additionalProperty), expected: `no such field (${known(error)})`, received: 'it' };
    case 'required':
      return { field: inside(params.missingProperty), expected: 'it to be there', received: 'nothing' };
    case 'propertyNames':
      return { field: inside(params.propertyName), expected: 'a name of letters, digits, ".", "_", "-"', received: 'another' };
    case 'enum':
      return {
        field,
        expected: `one of ${(params.allowedValues as unknown[]).map(describe).join(', ')}`,
        received: describe(data),
      };
    case 'const':
      return { field, expected: describe(params.allowedValue), received: describe(data) };
    default:
      return { field, expected: expectation(error), received: describe(data) };
  }
}

const known = (error: ErrorObject): string =>
  `there are: ${Object.keys((error.parentSchema as { properties?: object }).properties ?? {}).join(', ') || 'none'}`;

function expectation({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'type') return `a value of type ${params.type}`;
  if (keyword === 'pattern') return `text matching ${params.pattern}`;
  return `a value that ${message}`;
}

const dotted = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
