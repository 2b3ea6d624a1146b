/**
 * What hardened JavaScript refuses in a plugin's text, before a line of it runs. The refusal is textual: it holds in strings and
 * comments too. Found here at build time, with a place; in the compartment it would be a load error without one.
 */

export interface Censored {
  /** What was found, and what to write instead. */
  readonly reason: string;
  /** Offset into the text. */
  readonly index: number;
}

const rules: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
  {
    pattern: /(^|[^.]|\.\.\.)\bimport(\s*(?:\(|\/[/*]))/g,
    reason: '"import(" is refused, in strings and comments too: import statically, or write "import" + "("',
  },
  { pattern: /(^|[^.])\beval(\s*\()/g, reason: '"eval(" is refused, in strings and comments too: write "(0, eval)("' },
  { pattern: /<!--/g, reason: '"<!--" is refused, in strings and comments too: write "<!" + "--"' },
  { pattern: /-->/g, reason: '"-->" is refused, in strings and comments too: write "--" + ">", or "-- >" in code' },
];

/** Every spot that would be refused, in order. */
export function censor(source: string): Censored[] {
  const found = rules.flatMap(({ pattern, reason }) =>
    Array.from(source.matchAll(pattern), (match) => ({ reason, index: match.index + (match[1]?.length ?? 0) })),
  );
  return found.sort((a, b) => a.index - b.index);
}
