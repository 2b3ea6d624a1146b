import assert from 'node:assert/strict';
import dns from 'node:dns';
import { test } from 'node:test';
import fc from 'fast-check';
import type { UrlFindings } from '../../src/contract/handler.js';
import { admit } from '../../src/guards/guards.js';
import { askUrl, passed, policy, refused, revisions } from './given.js';

const invalidParams = -32602;
const loopback = { elicitation: { allowLoopbackHttp: true } };

const findings = (url: string, overrides = {}): UrlFindings => passed(askUrl(url, overrides)).findings;

/** Spellings that are refused, with loopback allowed and without. */
const bad: readonly (readonly [text: string, why: string])[] = [
  ['javascript:alert(1)', 'scheme'],
  ['JaVaScRiPt:alert(1)', 'scheme'],
  ['java\nscript:alert(1)', 'the parser drops line feeds'],
  ['java\tscript:alert(1)', 'the parser drops tabs'],
  [' \u0001javascript:alert(1)', 'the parser drops leading controls'],
  ['data:text/html,<script>1</script>', 'scheme'],
  ['file:///etc/passwd', 'scheme'],
  ['blob:https://example.com/x', 'scheme'],
  ['about:blank', 'scheme'],
  ['vscode://x', 'scheme'],
  ['intent://x#Intent;end', 'scheme'],
  ['smb://host/share', 'scheme'],
  ['search-ms:query=x', 'scheme'],
  ['ms-msdt:/id x', 'scheme'],
  ['mailto:a@b', 'scheme'],
  ['ftp://example.com/', 'scheme'],
  ['ws://example.com/', 'scheme'],
  ['wss://example.com/', 'scheme'],
  ['view-source:https://example.com/', 'scheme'],
  ['filesystem:https://example.com/x', 'scheme'],
  ['HTTPS://example.com/', 'not literal'],
  ['Https://example.com/', 'not literal'],
  [' https://example.com/', 'leading space'],
  ['https://example.com/ ', 'trailing space'],
  ['https://example.com/a b', 'space'],
  ['https://example.com/\n', 'line feed'],
  ['https://exa\nmple.com/', 'line feed in the host'],
  ['ht\ttps://example.com/', 'tab'],
  ['https://example.com/\u0000', 'NUL'],
  ['https://example.com/\u007f', 'DEL'],
  ['https://example.com/\u009b2J', 'C1 control'],
  ['https://example.com/\u202egpj.exe', 'reversed text'],
  ['https://example.com/\u2066x', 'isolate'],
  ['https://exam\u200bple.com/', 'zero width'],
  ['https://example.com/\u00a0', 'no-break space'],
  ['https://example.com/\u3000x', 'ideographic space'],
  ['https://example.com/\u2028x', 'line separator'],
  ['https://example.com/\ud800', 'lone surrogate'],
  ['\ufeffhttps://example.com/', 'byte order mark'],
  ['https:\\\\example.com/', 'backslashes'],
  ['https://example.com\\@evil.example/', 'backslash'],
  ['https://example.com\\.evil.example/', 'backslash'],
  ['https://./', 'no host but its dot'],
  [`https://${'a.'.repeat(130)}com/`, 'longer than any name'],
  [`https://${String.fromCharCode(...Array.from({ length: 2000 }, (_, index) => 0x4e00 + index))}/`, 'longer than any name'],
  ['https://.example.com/', 'an empty first label'],
  ['https:/example.com/', 'one slash'],
  ['https:example.com', 'no slash'],
  ['https:///example.com/', 'three slashes'],
  ['https:////example.com/', 'four slashes'],
  ['https://', 'no host'],
  ['https://?x', 'no host'],
  ['https://#x', 'no host'],
  ['https://:443/', 'no host'],
  ['//example.com/', 'relative'],
  ['/login', 'relative'],
  ['example.com', 'relative'],
  ['', 'empty'],
  ['https://accounts.google.com@evil.example/login', 'user name'],
  ['https://accounts.google.com%2f@evil.example/', 'user name'],
  ['https://user:pass@example.com/', 'user and password'],
  ['https://user@example.com', 'user name'],
  ['https://@example.com/', 'empty user name'],
  ['https://:@example.com/', 'empty user and password'],
  ['https://%65xample.com/', 'encoded host'],
  ['https://example%2ecom/', 'encoded dot'],
  ['https://example.com%00.evil.example/', 'encoded NUL'],
  ['https://exa mple.com/', 'space in the host'],
  ['https://example.com:99999/', 'port'],
  ['https://example.com:port/', 'port'],
  ['https://[::1/', 'bracket'],
  ['https://[:::1]/', 'address'],
  ['https://256.256.256.256/', 'address'],
  ['https://exa<mple.com/', 'host'],
  ['https://xn--/', 'punycode of nothing'],
  ['https://xn--a/', 'broken punycode'],
  ['https://xn--a-.com/', 'punycode that reads as a.com'],
  ['https://a..b/', 'empty label'],
  ['http://localhost.evil.example/', 'not loopback'],
  ['http://127.0.0.1.nip.io/', 'not loopback'],
  ['http://169.254.169.254/latest/meta-data/', 'not loopback'],
  ['http://[::ffff:127.0.0.1]/', 'mapped, by rule'],
  ['http://10.0.0.1/', 'not loopback'],
  ['http://0.0.0.0/', 'not loopback'],
  ['http://[::]/', 'not loopback'],
  ['http://localhost./', 'not localhost'],
  ['http://app.localhost/', 'not localhost'],
  ['http://example.com/', 'not loopback'],
  ['http://user@localhost/', 'user name'],
  ['http:localhost/', 'no slashes'],
  ['HTTP://localhost/', 'not literal'],
  [`https://example.com/${'x'.repeat(2029)}`, 'too long'],
];

for (const [text, why] of bad) {
  test(`B41: refused (${why}): ${JSON.stringify(text.slice(0, 60))}`, () => {
    for (const overrides of [{}, loopback]) refused(askUrl(text, overrides), invalidParams, '/url');
  });
}

/** Spellings that pass, and what a browser opens. */
const good: readonly (readonly [text: string, opened: string])[] = [
  ['https://example.com', 'https://example.com/'],
  ['https://example.com/', 'https://example.com/'],
  ['https://EXAMPLE.com/A', 'https://example.com/A'],
  ['https://example.com:443/x', 'https://example.com/x'],
  ['https://example.com:8443/x?y=z#w', 'https://example.com:8443/x?y=z#w'],
  ['https://example.com/a@b', 'https://example.com/a@b'],
  ['https://example.com/?mail=a@b', 'https://example.com/?mail=a@b'],
  ['https://example.com/#a@b', 'https://example.com/#a@b'],
  ['https://example.com/%0d%0a', 'https://example.com/%0d%0a'],
  ['https://example.com/a/../b', 'https://example.com/b'],
  ['https://example.com/ü', 'https://example.com/%C3%BC'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ['https://xn--bcher-kva.example/', 'https://xn--bcher-kva.example/'],
  ['https://192.0.2.1/', 'https://192.0.2.1/'],
  ['https://[2001:db8::1]/', 'https://[2001:db8::1]/'],
  ['https://2130706433/', 'https://127.0.0.1/'],
  ['https://localhost/', 'https://localhost/'],
  ['https://example.com./', 'https://example.com./'],
  [`https://example.com/${'x'.repeat(2028)}`, `https://example.com/${'x'.repeat(2028)}`],
];

for (const [text, opened] of good) {
  test(`B41: passes: ${text.slice(0, 60)}`, () => {
    const asked = passed(askUrl(text));
    assert.equal(asked.params.url, opened);
    assert.equal(asked.findings.url, opened);
    assert.equal(asked.findings.rawUrl, text);
  });
}

const loopbacks: readonly string[] = [
  'http://localhost:3000/cb',
  'http://127.0.0.1/',
  'http://127.8.8.8:80/',
  'http://[::1]/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://LOCALHOST/',
];

for (const text of loopbacks) {
  test(`case 33: ${text} passes only where loopback http is allowed`, () => {
    refused(askUrl(text), invalidParams, '/url');
    passed(askUrl(text, loopback));
  });
}

test('case 27: scripts, data, files and app links are refused, also where only the parser sees the scheme', () => {
  const spellings = ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'java\nscript:alert(1)', ' \u0001javascript:alert(1)'];
  for (const text of spellings) assert.equal(new URL(text).protocol, 'javascript:', 'what a browser would make of it');
  const others = [
    'data:text/html,<script>1</script>',
    'file:///etc/passwd',
    'blob:https://example.com/x',
    'about:blank',
    'vscode://x',
    'intent://x#Intent;end',
  ];
  for (const text of [...spellings, ...others]) refused(askUrl(text), invalidParams, '/url');
});

test('case 28: schemes that an operating system would open are refused: the list allows, it does not forbid', () => {
  for (const text of ['smb://host/share', 'search-ms:query=x', 'ms-msdt:/id x', 'mailto:a@b', 'anything-new://x'])
    for (const overrides of [{}, loopback]) refused(askUrl(text, overrides), invalidParams, '/url');
});

test('the tables hold at least eighty spellings', () => {
  const all = new Set([...bad, ...good].map(([text]) => text).concat(loopbacks));
  assert.ok(all.size >= 80 && all.size === bad.length + good.length + loopbacks.length);
});

test('B40: a missing mode is form; an undeclared or unknown one is refused (case 34)', () => {
  const ask = (params: object, elicitationModes: readonly ('form' | 'url')[]): ReturnType<typeof admit> =>
    admit({ kind: 'elicitation', params: { message: 'm', ...params } }, policy({ elicitationModes }));
  const form = { requestedSchema: { type: 'object', properties: {} } };
  const url = { mode: 'url', url: 'https://a.example/', elicitationId: 'e' };
  assert.equal(passed(ask(form, ['form'])).kind, 'form');
  assert.equal(passed(ask({ ...form, mode: 'form' }, ['form', 'url'])).kind, 'form');
  assert.equal(passed(ask(url, ['url'])).kind, 'url');
  refused(ask(form, ['url']), invalidParams, '/mode');
  refused(ask(url, ['form']), invalidParams, '/mode');
  refused(ask(form, []), invalidParams, '/mode');
  for (const mode of ['FORM', 'html', '', null, 1, ['form']])
    refused(ask({ ...form, mode }, ['form', 'url']), invalidParams, '/mode');
});

test('B40: revision 2025-06-18 has forms only', () => {
  refused(askUrl('https://a.example/', { revision: '2025-06-18' }), invalidParams, '/mode');
});

test('B40: nothing is fetched or resolved', (t) => {
  for (const name of ['lookup', 'resolve'] as const) t.mock.method(dns, name, () => assert.fail('resolved'));
  t.mock.method(globalThis, 'fetch', () => assert.fail('fetched'));
  passed(askUrl('https://does-not-exist.example/favicon.ico'));
});

test('B40: the message is a text of bounded length, whatever the mode', () => {
  for (const revision of revisions)
    for (const message of [undefined, null, 7, {}, 'x'.repeat(70_000)]) {
      const request = { kind: 'elicitation', params: { message, requestedSchema: { type: 'object', properties: {} } } } as const;
      refused(admit(request, policy({ revision })), invalidParams, '/message');
    }
  for (const params of [undefined, null, 'x', [], 7])
    refused(admit({ kind: 'elicitation', params }, policy()), invalidParams, '');
});

test('B41: elicitationId is required in 2025-11-25 and absent later (case 30)', () => {
  const params = { mode: 'url', message: 'm', url: 'https://x.example' };
  const ask = (more: object, revision: '2025-11-25' | '2026-07-28'): ReturnType<typeof admit> =>
    admit({ kind: 'elicitation', params: { ...params, ...more } }, policy({ revision }));
  for (const elicitationId of [undefined, null, 5, 'x'.repeat(2000)])
    assert.match(refused(ask({ elicitationId }, '2025-11-25'), invalidParams, '/elicitationId').reason, /elicitationId/);
  const old = passed(ask({ elicitationId: 'e1' }, '2025-11-25'));
  assert.ok(old.kind === 'url' && old.params.elicitationId === 'e1');
  const modern = passed(ask({ elicitationId: 'e1' }, '2026-07-28'));
  assert.ok(modern.kind === 'url' && !('elicitationId' in modern.params));
});

test('B42: host, Unicode host and registrable domain, private suffixes on', () => {
  const pick = ({ host, unicodeHost, registrableDomain }: UrlFindings): unknown[] => [host, unicodeHost, registrableDomain];
  assert.deepEqual(pick(findings('https://a.b.example.co.uk:8443/')), [
    'a.b.example.co.uk:8443',
    'a.b.example.co.uk',
    'example.co.uk',
  ]);
  assert.deepEqual(pick(findings('https://me.github.io/')), ['me.github.io', 'me.github.io', 'me.github.io']);
  assert.deepEqual(pick(findings('https://192.0.2.1/')), ['192.0.2.1', '192.0.2.1', null]);
  assert.deepEqual(pick(findings('https://[2001:db8::1]/')), ['[2001:db8::1]', '[2001:db8::1]', null]);
  assert.deepEqual(pick(findings('https://localhost/')), ['localhost', 'localhost', null]);
  assert.deepEqual(pick(findings('https://bücher.example.com/')), [
    'xn--bcher-kva.example.com',
    'bücher.example.com',
    'example.com',
  ]);
});

test('B42: idn and mixedScript are judged after canonicalisation (case 32)', () => {
  const flags = (url: string): unknown[] => {
    const { idn, mixedScript } = findings(url);
    return [idn, mixedScript];
  };
  assert.deepEqual(flags('https://apple.com/'), [false, false]);
  assert.deepEqual(flags('https://\u0430pple.com/'), [true, true], 'one Cyrillic letter');
  assert.deepEqual(flags('https://xn--pple-43d.com/'), [true, true], 'the same in punycode');
  assert.deepEqual(flags('https://аррӏе.com/'), [true, false], 'all Cyrillic: idn tells');
  assert.deepEqual(flags('https://bücher.example/'), [true, false]);
  assert.deepEqual(flags('https://例え.テスト/'), [true, false], 'Japanese writes three scripts together');
  assert.deepEqual(flags('https://한국漢字.example/'), [true, false]);
  assert.deepEqual(flags('https://googlе.com/'), [true, true]);
  assert.deepEqual(flags('https://пример.example/'), [true, false], 'labels are judged one by one');
  assert.deepEqual(flags('https://ｅxample.com/'), [false, false], 'full-width letters are canonicalised away');
  assert.equal(findings('https://\u0430pple.com/').host, 'xn--pple-43d.com');
});

test("B42: originMismatch is false only for the server's own origin; unknown is true", () => {
  const mismatch = (url: string, serverOrigin: string | null): boolean => findings(url, { serverOrigin }).originMismatch;
  assert.equal(mismatch('https://a.example/login', 'https://a.example'), false);
  assert.equal(mismatch('https://a.example:443/login', 'https://a.example'), false);
  assert.equal(mismatch('https://a.example:8443/login', 'https://a.example'), true);
  assert.equal(mismatch('https://b.a.example/', 'https://a.example'), true);
  assert.equal(mismatch('https://a.example/', null), true);
  assert.equal(mismatch('https://a.example/', 'http://a.example'), true);
});

test('B45: the message of a URL request loses unsafe code points too', () => {
  const params = { mode: 'url', message: 'go\u202e', url: 'https://a.example/', elicitationId: 'e' };
  const asked = passed(admit({ kind: 'elicitation', params }, policy()));
  assert.ok(asked.kind === 'url' && asked.params.message === 'go' && asked.findings.textAltered);
});

test('B41: property: what passes is https, has no user name, and opens the host that was judged', () => {
  const pieces = fc.constantFrom(
    'https://',
    'http://',
    'https:/',
    '@',
    ':',
    '/',
    '\\',
    '.',
    '%2f',
    '#',
    '?',
    'a',
    'evil.example',
    'example.com',
    '127.0.0.1',
    '[::1]',
    '\t',
    'ü',
    '\u0430',
    'javascript:',
    '443',
    ' ',
    '//',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), fc.boolean(), (parts, tail) => {
      const text = (tail ? 'https://' : '') + parts.join('');
      const verdict = askUrl(text);
      if (!verdict.ok) return;
      const { url, host } = verdict.value.findings;
      const parsed = new URL(url);
      assert.equal(parsed.protocol, 'https:');
      assert.equal(parsed.username + parsed.password, '');
      assert.equal(parsed.host, host);
      assert.equal(new URL(text).href, url, 'a browser given the raw text goes to the same place');
      assert.ok(text.startsWith('https://'));
      passed(askUrl(url));
    }),
    { numRuns: 3000 },
  );
  fc.assert(
    fc.property(fc.webUrl({ validSchemes: ['https'] }), (text) => typeof askUrl(text).ok === 'boolean'),
    { numRuns: 300 },
  );
});
