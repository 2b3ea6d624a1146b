/** `URL`, read only: a class of our own around a host URL that it keeps to itself. Every getter gives a string. */
const Host = URL;

type Part =
  | 'href'
  | 'origin'
  | 'protocol'
  | 'host'
  | 'hostname'
  | 'port'
  | 'pathname'
  | 'search'
  | 'hash'
  | 'username'
  | 'password';

const parts: readonly Part[] = [
  'href',
  'origin',
  'protocol',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
  'username',
  'password',
];

/** The query, read only. */
class SearchParams {
  readonly #params: URLSearchParams;
  constructor(params: URLSearchParams) {
    this.#params = params;
  }
  get(name: unknown): string | null {
    return this.#params.get(String(name));
  }
  getAll(name: unknown): string[] {
    return this.#params.getAll(String(name));
  }
  has(name: unknown): boolean {
    return this.#params.has(String(name));
  }
  entries(): [string, string][] {
    return Array.from(this.#params, ([name, value]): [string, string] => [name, value]);
  }
  toString(): string {
    return this.#params.toString();
  }
}

class GrantedURL {
  readonly #url: URL;
  constructor(text: unknown, base?: unknown) {
    this.#url = parse(text, base);
    Object.freeze(this);
  }
  static canParse(text: unknown, base?: unknown): boolean {
    try {
      parse(text, base);
      return true;
    } catch {
      return false;
    }
  }
  static {
    for (const name of parts)
      Object.defineProperty(GrantedURL.prototype, name, {
        get(this: GrantedURL): string {
          return this.#url[name];
        },
      });
  }
  get searchParams(): object {
    return Object.freeze(new SearchParams(this.#url.searchParams));
  }
  toString(): string {
    return this.#url.href;
  }
  toJSON(): string {
    return this.#url.href;
  }
}

/** The host's own error is an object of the host; another says the same. */
function parse(text: unknown, base: unknown): URL {
  const words = base === undefined ? [String(text)] : [String(text), String(base)];
  try {
    return new Host(...(words as [string, string]));
  } catch {
    throw new TypeError('Invalid URL');
  }
}

Object.defineProperty(GrantedURL, 'name', { value: 'URL' });

export function urlGlobals(): { URL: unknown } {
  return { URL: GrantedURL };
}
