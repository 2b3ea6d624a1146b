/**
 * Charts as SVG text, drawn by echarts without a browser. Colours are CSS variables, so that one drawing serves a light and
 * a dark page. echarts is an optional peer of the package: everything else works without it.
 */
import type { EChartsOption } from 'echarts';
import type { BarChart, Chart, LineChart } from './answer.js';
import { number } from './spelling.js';

/** Draws one chart. */
export type Draw = (chart: Chart) => string;

const width = 1120;

/** Loads the drawing library; undefined if it is not installed. */
export async function openCharts(): Promise<Draw | undefined> {
  const echarts = await import('echarts').catch(missing);
  if (echarts === undefined) return undefined;
  return (chart) => {
    const height = heightOf(chart);
    const canvas = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height });
    try {
      canvas.setOption(chart.type === 'bars' ? bars(chart) : lines(chart));
      return cleaned(canvas.renderToSVGString());
    } finally {
      canvas.dispose();
    }
  };
}

function missing(error: unknown): undefined {
  const code = (error as { code?: unknown } | null)?.code;
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return undefined;
  throw error;
}

/** How to get charts, for whoever has none. */
export const chartsRemedy: string = 'charts need the optional package "echarts": npm install echarts@6';

function heightOf(chart: Chart): number {
  return chart.type === 'bars' ? 60 + 30 * chart.bars.length : 380;
}

const ink = 'var(--ink)';
const faint = 'var(--faint)';
const rule = 'var(--rule)';

const shared = {
  animation: false,
  backgroundColor: 'transparent',
  textStyle: { fontFamily: 'inherit', color: ink },
} as const;

/** Names stay, numbers are spelled as everywhere. */
function spelled(value: string | number): string {
  return typeof value === 'number' ? number(value) : value;
}

const axis = {
  axisLine: { lineStyle: { color: rule } },
  axisTick: { show: false },
  axisLabel: { color: faint, fontFamily: 'inherit', hideOverlap: true, formatter: spelled },
  nameTextStyle: { color: faint, fontFamily: 'inherit' },
  splitLine: { lineStyle: { color: rule } },
  minorSplitLine: { show: false },
} as const;

/** Horizontal bars, first at the top, each with its number at its end. */
function bars(chart: BarChart): EChartsOption {
  return {
    ...shared,
    grid: { left: namesWidth(chart), right: 90, top: 8, bottom: 36 },
    xAxis: { ...axis, ...barScale(chart), name: chart.unit, nameLocation: 'middle', nameGap: 28 },
    yAxis: {
      ...axis,
      type: 'category',
      inverse: true,
      data: chart.bars.map(({ name }) => name),
      axisLabel: { ...axis.axisLabel, color: ink, fontSize: 13 },
    },
    series: [
      {
        type: 'bar',
        barWidth: 16,
        data: chart.bars.map(({ ours, value }) => ({ value, itemStyle: { color: ours ? 'var(--ours)' : 'var(--other)' } })),
        label: {
          show: true,
          position: 'right',
          color: ink,
          fontFamily: 'inherit',
          formatter: ({ value }) => number(Number(value)),
        },
      },
    ],
  };
}

/** Nothing here can measure text: the page's font is its reader's. */
function namesWidth({ bars }: BarChart): number {
  return 16 + 8 * Math.max(...bars.map(({ name }) => name.length));
}

/** A logarithmic bar must start at some power of ten below the smallest value. */
function barScale(chart: BarChart): { type: 'value'; min: 0 } | { type: 'log'; min: number; startValue: number } {
  const positive = chart.bars.map(({ value }) => value).filter((value) => value > 0);
  if (chart.scale === 'linear' || positive.length === 0) return { type: 'value', min: 0 };
  const min = 10 ** Math.floor(Math.log10(Math.min(...positive)) - 0.3);
  return { type: 'log', min, startValue: min };
}

const symbols = ['circle', 'rect', 'triangle', 'diamond', 'roundRect', 'pin', 'arrow'] as const;
const colours = 7;

/** Lines differ by colour and by symbol, and carry their name at their end. */
function lines(chart: LineChart): EChartsOption {
  const type = chart.scale === 'log' ? 'log' : 'value';
  return {
    ...shared,
    grid: { left: 8, right: 170, top: 30, bottom: 36, containLabel: true },
    xAxis: { ...axis, type, name: chart.x, nameLocation: 'middle', nameGap: 28, ...extent(chart, 0) },
    yAxis: { ...axis, type, name: chart.y, nameTextStyle: { ...axis.nameTextStyle, align: 'left' }, ...extent(chart, 1) },
    series: chart.lines.map(({ name, points }, at) => {
      const color = `var(--line-${(at % colours) + 1})`;
      return {
        type: 'line',
        name,
        data: points.map(([x, y]) => [x, y]),
        symbol: symbols[at % symbols.length] as string,
        symbolSize: 8,
        itemStyle: { color, borderColor: color },
        lineStyle: { color, width: 2 },
        endLabel: { show: true, formatter: '{a}', color: ink, fontFamily: 'inherit' },
        labelLayout: { moveOverlap: 'shiftY' },
      };
    }),
  };
}

/** Along x from the first point to the last, along y the decades that hold every point; a linear axis starts at zero. */
function extent(chart: LineChart, coordinate: 0 | 1): { min: number; max?: number } {
  if (chart.scale === 'linear') return { min: 0 };
  const values = chart.lines.flatMap(({ points }) => points.map((point) => point[coordinate])).filter((value) => value > 0);
  const [min, max] = [Math.min(...values), Math.max(...values)];
  if (coordinate === 0) return { min, max };
  return { min: 10 ** Math.floor(Math.log10(min)), max: 10 ** Math.ceil(Math.log10(max)) };
}

/** Several drawings share one page: names of classes and clips would meet there, and nothing moves under the pointer. */
function cleaned(svg: string): string {
  drawn += 1;
  return svg
    .replace(/<style\s*>.*?<\/style>/gs, '')
    .replace(/ (?:class|pointer-events|ecmeta_\w+)="[^"]*"/g, '')
    .replace(/zr\d+-(c|g|p)/g, `d${drawn}-$1`)
    .replace('<svg ', '<svg role="img" ')
    .replace(/ width="\d+" height="\d+"/, ` width="${width}" style="max-width:100%;height:auto"`);
}

let drawn = 0;
