/**
 * The published server-everything, over stdio, legacy era: it asks for sampling, a form, a page and the roots, and is answered
 * by the handler module. Asked to send a `javascript:` page, it is stopped by the guard before any callback runs.
 */
import type { Connection, InputRecord } from '../../../index.js';
import { type Claim, claim } from '../claims.js';
import type { Stage } from '../stage.js';
import { milliseconds } from '../table.js';
import { textOf } from '../text.js';

/** What a handler module can answer decides what is asked. */
export interface Answers {
  readonly sampling: boolean;
  readonly form: boolean;
  readonly url: boolean;
  readonly roots: boolean;
}

const page = 'https://accounts.example.com/authorize';
const script = 'javascript:alert(document.cookie)';

export async function askEverything(stage: Stage, connection: Connection, answers: Answers): Promise<Claim[]> {
  const heard: string[] = [];
  const call = async (name: string, args: Record<string, unknown>) => {
    const text = textOf(await connection.callTool({ name, arguments: args }));
    heard.push(text);
    return text;
  };
  if (answers.sampling) await call('trigger-sampling-request', { prompt: 'Say hello', maxTokens: 100 });
  if (answers.form) await call('trigger-elicitation-request', {});
  if (answers.url) await call('trigger-url-elicitation', { url: page });
  if (answers.roots) {
    await stage.seen(connection, (record) => record.kind === 'roots');
    await call('get-roots-list', {});
  }
  const records = stage.of(connection);
  const answered = answeredClaim(answers, records, heard);
  return answers.url
    ? [answered, refusedClaim(stage, connection, await call('trigger-url-elicitation', { url: script }))]
    : [answered];
}

function answeredClaim(answers: Answers, records: readonly InputRecord[], heard: readonly string[]): Claim {
  const wanted = Object.values(answers).filter(Boolean).length;
  const answered = records.filter((record) => record.outcome === 'answered');
  const slowest = Math.max(0, ...records.map((record) => record.times.total));
  return claim(
    '2025-11-25 over stdio, published server-everything: callbacks in worker threads answered',
    answered.length === wanted &&
      records.length === wanted &&
      answered.every((record) => record.threadId > 0) &&
      heard.every(isFine),
    `${answered.length} of ${wanted} kinds of question answered; the slowest took ${milliseconds(slowest)}`,
  );
}

/** server-everything puts what the client answered into its text; an error would begin it. */
function isFine(text: string): boolean {
  return !/^(MCP error|Error)/.test(text);
}

function refusedClaim(stage: Stage, connection: Connection, text: string): Claim {
  const record = stage.of(connection).at(-1);
  const code = /-32\d{3}/.exec(text)?.[0] ?? 'no code';
  return claim(
    'a "javascript:" page was refused by the guard; no callback ran',
    record?.mode === 'url' && record.stages.guard === 'refused' && record.stages.callback === 'skipped' && code === '-32602',
    `the server was told ${code}; judged in ${milliseconds(record?.times.total ?? 0)}, no thread spent`,
  );
}
