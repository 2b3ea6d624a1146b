/**
 * The four string formats of the protocol's forms, each as a check whose time is linear in the text: they run on the main
 * thread, over what a callback returned. Stricter than the RFCs where servers are: an e-mail address has a dotted host, a
 * time has seconds and a zone.
 */
type FormatName = 'email' | 'uri' | 'date' | 'date-time';

export const formats: ReadonlyMap<string, (text: string) => boolean> = new Map<FormatName, (text: string) => boolean>([
  ['email', isEmail],
  ['uri', isUri],
  ['date', isDate],
  ['date-time', isDateTime],
]);

const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const hostName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at < 1 || at > 64 || text.length - at > 254) return false;
  return localPart.test(text.slice(0, at)) && hostName.test(text.slice(at + 1));
}

/** RFC 3986: scheme, authority, path, query, fragment. No part can match what its neighbour matches. */
const uriParts = /^[a-z][a-z0-9+.-]*:(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is;
const authority = /^(?:(?:[\w.~!$&'()*+,;=:-]|%[0-9a-f]{2})*@)?(?:\[([^\]]*)\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i;
const path = /^(?:[\w.~!$&'()*+,;=:@/-]|%[0-9a-f]{2})*$/i;
const tail = /^(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*$/i;

function isUri(text: string): boolean {
  const parts = uriParts.exec(text);
  if (parts === null) return false;
  const [, host, route = '', query = '', fragment = ''] = parts;
  if (host === undefined ? route === '' || route.startsWith('//') : !isAuthority(host)) return false;
  return path.test(route) && tail.test(query) && tail.test(fragment);
}

function isAuthority(text: string): boolean {
  const match = authority.exec(text);
  return match !== null && (match[1] === undefined || isIpv6(match[1]));
}

/** The last two groups may be written as an IPv4 address. */
const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const dottedTail = new RegExp(`(?<=:)${octet}(?:\\.${octet}){3}$`);

function isIpv6(text: string): boolean {
  const halves = text.replace(dottedTail, '0:0').split('::');
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const full = halves.length === 1 ? groups.length === 8 : halves.length === 2 && groups.length < 8;
  return full && groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group));
}

const calendarDate = /^(\d{4})-(\d{2})-(\d{2})$/;
const clockTime =
  /^(?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d|60)(?:\.\d+)?(?:z|(?<sign>[+-])(?<hours>[01]\d|2[0-3]):(?<minutes>[0-5]\d))$/i;

function isDate(text: string): boolean {
  const match = calendarDate.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

function isDateTime(text: string): boolean {
  return /^.{10}t/i.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

/** A leap second is the last of a day of UTC. */
function isTime(text: string): boolean {
  const { hour, minute, second, sign, hours = 0, minutes = 0 } = clockTime.exec(text)?.groups ?? {};
  if (second !== '60') return second !== undefined;
  const offset = Number(hours) * 60 + Number(minutes);
  const utc = Number(hour) * 60 + Number(minute) + (sign === '-' ? offset : -offset);
  return (utc + day) % day === day - 1;
}

const day = 24 * 60;
