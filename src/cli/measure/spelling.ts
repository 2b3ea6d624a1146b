/** How figures are spelled for people: three significant digits, thousands apart, sizes in powers of 1024. */
import type { Cell } from './answer.js';
import type { Estimate } from './statistics.js';

export function number(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString('en-US').replaceAll(',', ' ');
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return trimmed(value.toFixed(1));
  if (size >= 1) return trimmed(value.toFixed(2));
  return size === 0 ? '0' : trimmed(value.toPrecision(2));
}

const trimmed = (text: string): string => (text.includes('e') ? text : text.replace(/\.?0+$/, ''));

export function cell(value: Cell): string {
  if (value === null) return '–';
  return typeof value === 'number' ? number(value) : value;
}

export function bytes(size: number): string {
  const units = ['B', 'KB', 'MB', 'GB'];
  let unit = 0;
  let value = size;
  while (Math.abs(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${number(value)} ${units[unit]}`;
}

/** `1.12x (1.08 to 1.15)`. */
export function ratio(estimate: Estimate): string {
  return `${number(estimate.median)}x (${number(estimate.low)} to ${number(estimate.high)})`;
}
