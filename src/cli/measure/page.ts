/**
 * A report as one self-contained page: no script, no font, no request. Light or dark follows the reader's system.
 */
import type { Cell, Chart, Goal, Report, Section, Table } from './answer.js';
import type { Draw } from './chart.js';
import { machineLine } from './machine.js';
import { cell } from './spelling.js';
import { stylesheet } from './stylesheet.js';

export function asPage(report: Report, draw: Draw | undefined): string {
  const goals = report.sections.flatMap((section) => section.goals);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(report.title)}</title>
<style>${stylesheet}</style>
</head>
<body>
<header>
<h1>${escaped(report.title)}</h1>
<p class="machine">${escaped(machineLine(report.machine))}; took ${Math.round(report.seconds)} s.</p>
${report.smoke ? '<p class="warning">A smoke run: it shows that everything runs, its figures mean nothing.</p>' : ''}
${contents(report)}
</header>
<main>
${goals.length === 0 ? '' : goalsTable(goals)}
${report.sections.map((section) => drawSection(section, draw)).join('\n')}
</main>
</body>
</html>
`;
}

function contents({ sections }: Report): string {
  if (sections.length < 2) return '';
  const links = sections.map(({ name, title }) => `<li><a href="#${escaped(name)}">${escaped(title)}</a></li>`);
  return `<nav aria-label="Questions"><ul>${links.join('')}</ul></nav>`;
}

function goalsTable(goals: readonly Goal[]): string {
  const met = goals.filter(({ verdict }) => verdict === 'met').length;
  const rows = goals.map(({ goal, measured, note, verdict, what }) => {
    const remark = note === undefined ? '' : `<br><small>${escaped(note)}</small>`;
    const badge = `<span class="verdict ${verdict}">${verdictNames[verdict]}</span>`;
    return `<tr><th scope="row">${escaped(what)}${remark}</th><td>${escaped(goal)}</td><td>${escaped(measured)}</td><td>${badge}</td></tr>`;
  });
  return `<section id="goals">
<h2>Goals: ${met} of ${goals.length} met</h2>
<div class="scroll"><table class="goals">
<thead><tr><th scope="col">what</th><th scope="col">goal</th><th scope="col">measured</th><th scope="col">verdict</th></tr></thead>
<tbody>${rows.join('\n')}</tbody>
</table></div>
</section>`;
}

const verdictNames: { readonly [verdict in Goal['verdict']]: string } = {
  met: '✓ met',
  missed: '✗ missed',
  open: '~ inside the noise',
};

function drawSection(section: Section, draw: Draw | undefined): string {
  const { charts, failure, name, notes, seconds, tables, title } = section;
  return `<section id="${escaped(name)}">
<h2>${escaped(title)}</h2>
<p class="took">bench/${escaped(name)}, ${Math.round(seconds)} s</p>
${failure === undefined ? '' : `<p class="warning">Failed: ${escaped(failure)}</p>`}
${notes.length === 0 ? '' : `<ul class="notes">${notes.map((note) => `<li>${escaped(note)}</li>`).join('')}</ul>`}
${draw === undefined ? '' : charts.map((chart) => figure(chart, draw)).join('\n')}
${tables.map(table).join('\n')}
</section>`;
}

function figure(chart: Chart, draw: Draw): string {
  const legend = chart.type === 'bars' && chart.bars.some(({ ours }) => ours) && chart.bars.some(({ ours }) => !ours);
  const key = legend ? ' <span class="key ours">mcp-bulkhead</span> <span class="key other">others</span>' : '';
  const note = chart.note === undefined ? '' : `<p class="note">${escaped(chart.note)}</p>`;
  return `<figure><figcaption>${escaped(chart.title)}${key}</figcaption>${draw(chart)}${note}</figure>`;
}

function table({ columns, note, rows, title }: Table): string {
  const head = columns.map((column) => `<th scope="col">${escaped(column)}</th>`).join('');
  return `<h3>${escaped(title)}</h3>
<div class="scroll"><table>
<thead><tr>${head}</tr></thead>
<tbody>${rows.map(row).join('\n')}</tbody>
</table></div>${note === undefined ? '' : `<p class="note">${escaped(note)}</p>`}`;
}

function row([name, ...rest]: readonly Cell[]): string {
  const cells = rest.map((value) => `<td${typeof value === 'number' ? ' class="number"' : ''}>${escaped(cell(value))}</td>`);
  return `<tr><th scope="row">${escaped(cell(name ?? null))}</th>${cells.join('')}</tr>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
