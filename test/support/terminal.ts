/** A terminal that keeps what was printed, without colours, 100 columns wide. */
import picocolors from 'picocolors';
import type { Terminal } from '../../src/cli/terminal.js';

export interface RecordingTerminal extends Terminal {
  readonly out: string[];
  readonly err: string[];
}

export function recordingTerminal(): RecordingTerminal {
  const out: string[] = [];
  const err: string[] = [];
  return {
    out,
    err,
    print: (text = '') => void out.push(text),
    warn: (text) => void err.push(text),
    columns: 100,
    paint: picocolors.createColors(false),
    exitCode: 0,
  };
}
