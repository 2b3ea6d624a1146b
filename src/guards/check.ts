/**
 * The check of a form's answer.
 */
import { type FormFault, formFaults } from '../contract/form.js';
import type { FormSchema } from '../contract/handler.js';
import { matches } from './linear.js';

export function createCheck(schema: FormSchema): (content: unknown) => readonly FormFault[] {
  return (content) => formFaults(schema, content, matches);
}
