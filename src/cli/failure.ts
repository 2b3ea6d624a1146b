/**
 * What a person reads when a command fails: one line, and the stack only with `--verbose`.
 *
 * Exit codes: 2 for a command line that makes no sense, 1 for everything else that went wrong. A package that is not
 * installed is named, with the command that installs it.
 */
import { CommanderError } from 'commander';
import { isBulkheadError } from '../errors.js';

export interface Failure {
  /** Empty if commander has already said it. */
  readonly line: string;
  readonly exitCode: number;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof CommanderError) return { line: '', exitCode: error.exitCode === 0 ? 0 : 2 };
  const missing = missingPackage(error);
  if (missing !== null)
    return { line: `this command needs the package "${missing}", which is not installed: npm install ${missing}`, exitCode: 1 };
  if (isBulkheadError(error)) return { line: oneLine(error.message), exitCode: 1 };
  return { line: oneLine(error instanceof Error ? `${error.name}: ${error.message}` : String(error)), exitCode: 1 };
}

/** The npm package that an import failed to find; null if that is not what happened. */
function missingPackage(error: unknown): string | null {
  if (!(error instanceof Error) || (error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') return null;
  const specifier = /^Cannot find package '([^']+)'/.exec(error.message)?.[1];
  return specifier === undefined ? null : packageOf(specifier);
}

function packageOf(specifier: string): string {
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').trim();
}
