import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { admit, release } from '../../src/guards/guards.js';
import { type Platform, rootUri } from '../../src/guards/place.js';
import { releaseRoots } from '../../src/guards/roots.js';
import { passed, policy, refused } from './given.js';

const internal = -32603;
const listed = (uris: readonly unknown[], platform: Platform = 'posix'): unknown =>
  (passed(releaseRoots({ roots: uris.map((uri) => ({ uri })) }, platform)).roots as { uri: string }[]).map(({ uri }) => uri);

const both: readonly (readonly [text: string, uri: string | null])[] = [
  ['file:///C:/temp', 'file:///C:/temp'],
  ['file:///c:/temp', 'file:///C:/temp'],
  ['file:///c%3A/temp', 'file:///C:/temp'],
  ['file:///C%3a/temp', 'file:///C:/temp'],
  ['C:\\temp', 'file:///C:/temp'],
  ['c:/temp', 'file:///C:/temp'],
  ['C:\\', 'file:///C:/'],
  ['file:///C:', 'file:///C:/'],
  ['D:\\Dev\\My Project', 'file:///D:/Dev/My%20Project'],
  ['C:\\a\\..\\b', 'file:///C:/b'],
  ['C:\\..\\..\\b', 'file:///C:/b'],
  ['file:///C:/a/%2e%2e/b', 'file:///C:/b'],
  ['file:///C:/a%5C..%5Cb', null],
  ['file://localhost/C:/temp', 'file:///C:/temp'],
  ['C:temp', null],
  ['C:', null],
  ['\\\\server\\share', null],
  ['\\\\?\\C:\\temp', null],
  ['\\\\.\\pipe\\x', null],
  ['//server/share', null],
  ['file://server/share', null],
  ['file:////server/share', null],
  ['file://///server/share', null],
  ['file:\\\\server\\share', null],
  ['https://x', null],
  ['vscode-remote://ssh-remote+h/home/u', null],
  ['relative/path', null],
  ['./x', null],
  ['~/x', null],
  ['', null],
  ['file:', null],
  ['file:tmp/x', null],
  ['file:///tmp?x', null],
  ['file:///tmp#x', null],
  ['file:///tmp?', null],
  ['file:///home/user/a%2Fb', null],
  ['file:///home/user/a%2fb', null],
  ['file:///tmp/a%00b', null],
  ['file:///tmp/%ff', null],
  ['file:///tmp/%zz', null],
  ['file:///tmp/a\nb', null],
  ['file:///t\tmp', null],
  ['fi\rle:///tmp', null],
  ['file:///tmp/a ', null],
  ['C:\\a\0b', null],
  ['/c:/x', 'file:///C:/x'],
  ['/C:', 'file:///C:/'],
];

for (const [text, uri] of both) {
  test(`B49: on any platform ${JSON.stringify(text)} is ${uri ?? 'dropped'}`, () => {
    for (const platform of ['posix', 'windows'] satisfies Platform[]) {
      const place = rootUri(text, platform);
      assert.equal(place.ok ? place.uri : null, uri, platform);
    }
  });
}

const posix: readonly (readonly [text: string, uri: string | null])[] = [
  ['/', 'file:///'],
  ['file:///', 'file:///'],
  ['/tmp/x', 'file:///tmp/x'],
  ['file:/tmp/x', 'file:///tmp/x'],
  ['FILE:///tmp/x', 'file:///tmp/x'],
  ['file://localhost/tmp', 'file:///tmp'],
  ['file:///tmp/../etc', 'file:///etc'],
  ['file:///tmp/%2e%2E/etc', 'file:///etc'],
  ['file:///tmp/%252e%252e/etc', 'file:///tmp/%252e%252e/etc'],
  ['/tmp/../etc', 'file:///etc'],
  ['/../../etc', 'file:///etc'],
  ['/tmp/./x//y', 'file:///tmp/x/y'],
  ['/home/user/100% #1?', 'file:///home/user/100%25%20%231%3F'],
  ['/tmp/你', 'file:///tmp/%E4%BD%A0'],
  ['file:///tmp/你', 'file:///tmp/%E4%BD%A0'],
  ['file:///t%6Dp/%61', 'file:///tmp/a'],
  ['/tmp/a\nb', 'file:///tmp/a%0Ab'],
  ['/tmp/x/', 'file:///tmp/x/'],
  ['/tmp/a\\b', 'file:///tmp/a%5Cb'],
  ['/tmp/a\0b', null],
];

for (const [text, uri] of posix) {
  test(`B49: on POSIX ${JSON.stringify(text)} is ${uri ?? 'dropped'}; on Windows it has no drive and is dropped`, () => {
    const place = rootUri(text, 'posix');
    assert.equal(place.ok ? place.uri : null, uri);
    assert.ok(!rootUri(text, 'windows').ok);
  });
}

test('B49: duplicates are sent once, with or without a last slash, and need no warning', () => {
  assert.deepEqual(listed(['/tmp/x', 'file:///tmp/x', '/tmp/x/', '/tmp/y/../x']), ['file:///tmp/x']);
  const verdict = releaseRoots({ roots: [{ uri: '/a' }, { uri: '/a' }] }, 'posix');
  assert.ok(verdict.ok && verdict.notes === undefined);
});

test('B49: a root whose path or name is no Unicode is dropped, since its URI would name another folder', () => {
  const verdict = releaseRoots(
    { roots: [{ uri: '/a\ud800' }, { uri: '/b', name: '\udc00' }, { uri: '/c', name: '😀' }] },
    'posix',
  );
  assert.deepEqual(passed(verdict), { roots: [{ uri: 'file:///c', name: '😀' }] });
  assert.deepEqual(verdict.ok && verdict.notes, ['roots dropped: 2 (not well-formed Unicode: 2)']);
});

test('B49: at most 1 000 roots are sent', () => {
  const verdict = releaseRoots({ roots: Array.from({ length: 10_000 }, (_, index) => ({ uri: `/r${index}` })) }, 'posix');
  assert.equal((passed(verdict).roots as unknown[]).length, 1000);
  assert.deepEqual(verdict.ok && verdict.notes, ['roots dropped: 9000 (over the limit: 9000)']);
});

test('B49: names are kept if they are texts; nothing else of a root is sent', () => {
  const roots = [
    { uri: '/a', name: 'A', _meta: { x: 1 } },
    { uri: '/b', name: 7 },
  ];
  assert.deepEqual(passed(releaseRoots({ roots }, 'posix')), { roots: [{ uri: 'file:///a', name: 'A' }, { uri: 'file:///b' }] });
});

test('B49: what is no list of roots is refused; an empty list is one', () => {
  const asked = passed(admit({ kind: 'roots', params: undefined }, policy()));
  for (const said of [undefined, null, [], {}, { roots: null }, { roots: {} }, 'x'])
    refused(release(said, asked), internal, '/roots');
  assert.deepEqual(passed(release({ roots: [] }, asked)), { roots: [] });
});

test('case 79: every spelling of a Windows folder is one root', () => {
  for (const platform of ['posix', 'windows'] satisfies Platform[])
    assert.deepEqual(listed(['C:\\temp', 'file:///c%3A/temp', 'file:///C:/temp'], platform), ['file:///C:/temp']);
  assert.equal(fileURLToPath('file:///C:/temp', { windows: true }), 'C:\\temp');
});

test('case 81: paths with blanks, signs, other scripts and line feeds survive the way there and back', () => {
  for (const path of ['/home/user/100% #1?', '/tmp/你', '/tmp/a\nb', '/tmp/x', '/tmp/x/', '/tmp/%41', '/tmp/a+b&c=d;e']) {
    const place = rootUri(path, 'posix');
    assert.ok(place.ok);
    assert.equal(fileURLToPath(place.uri, { windows: false }), path);
  }
  const windows = rootUri('D:\\Dev\\My Project', 'windows');
  assert.equal(windows.ok && fileURLToPath(windows.uri, { windows: true }), 'D:\\Dev\\My Project');
});

test('case 83: bad roots are dropped with one warning, the good ones are still sent', () => {
  const uris = [
    'vscode-remote://h/u',
    'https://x',
    '/tmp/x',
    'file:///tmp/../etc',
    'file:///tmp/a%00b',
    'file:///home/user/a%2Fb',
    'file:///',
    '/tmp/x',
  ];
  const verdict = releaseRoots({ roots: [...uris.map((uri) => ({ uri })), null, { uri: 7 }] }, 'posix');
  assert.deepEqual(passed(verdict), { roots: [{ uri: 'file:///tmp/x' }, { uri: 'file:///etc' }, { uri: 'file:///' }] });
  assert.ok(verdict.ok && verdict.notes?.length === 1);
  assert.match(verdict.notes[0] ?? '', /^roots dropped: 6 /);
  assert.doesNotMatch(verdict.notes[0] ?? '', /vscode|home/);
});

test('B49: property: every root that is sent is a local file URI, canonical, without traversal', () => {
  const piece = fc.constantFrom(
    '/',
    '\\',
    '..',
    '.',
    '%2e',
    '%2F',
    '%5c',
    '%00',
    'a',
    'C:',
    'c%3A',
    'file:',
    '//',
    'x y',
    '?',
    '#',
    '\n',
    '你',
    '%',
    '%41',
    'localhost',
    '\0',
    '\ud800',
  );
  const start = fc.constantFrom('', '/', 'file:///', 'file://', 'C:\\', 'file:///c:/', 'file:/');
  fc.assert(
    fc.property(
      start,
      fc.array(piece, { maxLength: 8 }),
      fc.constantFrom<Platform>('posix', 'windows'),
      (head, parts, platform) => {
        const place = rootUri(head + parts.join(''), platform);
        if (!place.ok) return;
        const url = new URL(place.uri);
        assert.equal(url.href, place.uri, 'canonical');
        assert.match(place.uri, /^file:\/\/\/(?!\/)/);
        assert.doesNotMatch(place.uri, /[?#]|%2f|%00|\/\.\.?(?:\/|$)|\/%2e(?:%2e|\.)?(?:\/|$)/i);
        assert.deepEqual(rootUri(place.uri, platform), place, 'a second time changes nothing');
      },
    ),
    { numRuns: 5000 },
  );
});
