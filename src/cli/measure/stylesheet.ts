/** The look of a report page, light and dark; charts take their colours from the same variables. */
export const stylesheet: string = `
:root {
  --paper: #ffffff; --ink: #1b1f24; --faint: #57606a; --rule: #d8dee4; --band: #f6f8fa;
  --ours: #0b63ce; --other: #9aa4af; --good: #116329; --bad: #b3261e; --unsure: #7a5200;
  --line-1: #0b63ce; --line-2: #b35309; --line-3: #1a7f37; --line-4: #8250df; --line-5: #bf3989; --line-6: #57606a; --line-7: #0a7c86;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0d1117; --ink: #e6edf3; --faint: #9da7b3; --rule: #30363d; --band: #161b22;
    --ours: #58a6ff; --other: #6e7781; --good: #56d364; --bad: #ff7b72; --unsure: #e3b341;
    --line-1: #58a6ff; --line-2: #f0883e; --line-3: #56d364; --line-4: #bc8cff; --line-5: #f778ba; --line-6: #b1bac4; --line-7: #39c5cf;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1200px; padding: 32px 40px 80px; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 4px; }
h2 { font-size: 21px; margin: 48px 0 4px; padding-top: 16px; border-top: 1px solid var(--rule); }
h3 { font-size: 15px; margin: 28px 0 6px; }
a { color: var(--ours); }
nav ul { display: flex; flex-wrap: wrap; gap: 4px 20px; padding: 0; list-style: none; }
.machine, .took, .note, small { color: var(--faint); font-size: 13px; }
.took { margin: 0 0 12px; }
.note { margin: 6px 0 0; }
.notes { padding-left: 20px; }
.warning { color: var(--bad); font-weight: 600; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13.5px; }
th, td { padding: 5px 12px 5px 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule); }
th { font-weight: 500; }
thead th { color: var(--faint); white-space: nowrap; }
td { white-space: nowrap; }
td.number { text-align: right; }
tbody tr:hover { background: var(--band); }
table.goals { width: 100%; }
table.goals tbody th { min-width: 380px; }
.verdict { font-weight: 600; white-space: nowrap; }
.met { color: var(--good); } .missed { color: var(--bad); } .open { color: var(--unsure); }
figure { margin: 20px 0 28px; }
figcaption { font-weight: 600; margin-bottom: 6px; }
.key { font-weight: 400; font-size: 13px; margin-left: 12px; }
.key::before { content: ""; display: inline-block; width: 10px; height: 10px; margin-right: 5px; border-radius: 2px; }
.key.ours::before { background: var(--ours); } .key.other::before { background: var(--other); }
svg { display: block; }
@media (max-width: 700px) { body { padding: 20px 16px 60px; } }
`;
