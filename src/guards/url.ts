/**
 * A URL that a server wants a person to open (behaviours 41, 42; cases 27 to 33). Nothing is fetched, opened or resolved.
 *
 * The raw text and the parsed URL are both judged: the WHATWG parser forgives what a reader would not see (backslashes, line
 * breaks, a missing slash, a user name that looks like a host), and what it makes of the text is what a browser opens.
 */
import { domainToASCII, domainToUnicode } from 'node:url';
import { getDomain } from 'tldts';
import type { UrlFindings } from '../contract/handler.js';
import { stripUnsafe } from '../sanitise/text.js';
import { invalidParams, pass, type Verdict } from '../verdict.js';
import { mixesScripts } from './scripts.js';

export interface UrlPolicy {
  readonly allowLoopbackHttp: boolean;
  /** Null where unknown, which counts as a mismatch. */
  readonly serverOrigin: string | null;
}

export type JudgedUrl = Omit<UrlFindings, 'mode' | 'textAltered'>;

/** Behaviour 41. */
const maxUrl = 2048;
/** Of the name system, with a port. The parser takes 30 ms for a name of 2 000 ideographs. */
const maxAuthority = 253 + ':65535'.length;

export function judgeUrl(raw: unknown, policy: UrlPolicy): Verdict<JudgedUrl> {
  if (typeof raw !== 'string') return invalidParams('must be a string', '/url');
  const sloppy = rawFault(raw, policy.allowLoopbackHttp);
  if (sloppy !== undefined) return invalidParams(sloppy, '/url');
  const url = URL.canParse(raw) ? new URL(raw) : null;
  if (url === null) return invalidParams('must be a valid URL', '/url');
  const fault = parsedFault(url, policy.allowLoopbackHttp);
  if (fault !== undefined) return invalidParams(fault, '/url');
  return pass(describe(raw, url, policy.serverOrigin));
}

const schemes = /^(https?):\/\/([^/?#]*)/;

/** What may not stand in the text, whatever a parser would make of it. */
function rawFault(raw: string, allowLoopbackHttp: boolean): string | undefined {
  if (raw.length > maxUrl) return `must have at most ${maxUrl} characters`;
  if (/[\s\\]/.test(raw) || stripUnsafe(raw).altered || /[\n\t]/.test(raw))
    return 'must have no white space, control or backslash';
  const [, scheme, authority = ''] = schemes.exec(raw) ?? [];
  if (scheme === undefined || (scheme === 'http' && !allowLoopbackHttp)) return 'must begin with https://';
  if (authority === '') return 'must name a host after https://';
  if (authority.includes('@')) return 'must have no user name or password';
  if (authority.includes('%')) return 'must not encode its host';
  return authority.length > maxAuthority ? `must name a host of at most ${maxAuthority} characters` : undefined;
}

function parsedFault(url: URL, allowLoopbackHttp: boolean): string | undefined {
  if (url.username !== '' || url.password !== '') return 'must have no user name or password';
  if (!isHonest(url.hostname)) return 'must name a valid host';
  if (url.protocol === 'https:') return undefined;
  const loopback = url.protocol === 'http:' && isLoopback(url.hostname);
  return loopback && allowLoopbackHttp ? undefined : 'must be https, but for loopback addresses';
}

/** A label in punycode stands for something else, and nothing else stands for it; else what is shown is not what is opened. */
function isHonest(hostname: string): boolean {
  if (/^\.|\.\./.test(hostname)) return false;
  if (!isIdn(hostname)) return true;
  const unicodeHost = domainToUnicode(hostname);
  return !isIdn(unicodeHost) && domainToASCII(unicodeHost) === hostname;
}

const isIdn = (hostname: string): boolean => hostname.split('.').some((label) => label.startsWith('xn--'));

/** By the parsed host, so `2130706433` and `0x7f.1` are 127.0.0.1, and `localhost.evil.example` is not localhost. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

function describe(raw: string, url: URL, serverOrigin: string | null): JudgedUrl {
  const { hostname } = url;
  const unicodeHost = domainToUnicode(hostname) || hostname;
  return {
    url: url.href,
    rawUrl: raw,
    host: url.host,
    unicodeHost,
    registrableDomain: getDomain(hostname, { allowPrivateDomains: true }),
    idn: isIdn(hostname),
    mixedScript: mixesScripts(unicodeHost),
    originMismatch: url.origin !== serverOrigin,
  };
}
