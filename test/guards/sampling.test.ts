import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admit, release } from '../../src/guards/guards.js';
import { passed, policy, refused, revisions, sample } from './given.js';

const invalidParams = -32602;
const internal = -32603;
const rejected = -1;

const text = { type: 'text', text: 'hi' };
const user = { role: 'user', content: text };
const use = (id: string, name = 'add'): object => ({ type: 'tool_use', id, name, input: {} });
const result = (toolUseId: string, content: object[] = []): object => ({ type: 'tool_result', toolUseId, content });
const assistant = (...content: object[]): object => ({ role: 'assistant', content });
const answers = (...content: object[]): object => ({ role: 'user', content });
const add = { name: 'add', inputSchema: { type: 'object' } };
const withTools = { sampling: { tools: true } };

test('B33: admitting approves nothing: what passes is the request, for the callback to decide', () => {
  const asked = passed(
    sample({ systemPrompt: 's', temperature: 0.5, stopSequences: ['x'], metadata: { a: 1 }, modelPreferences: { hints: [] } }),
  );
  assert.deepEqual(asked.params, {
    messages: [user],
    maxTokens: 100,
    systemPrompt: 's',
    modelPreferences: { hints: [] },
    temperature: 0.5,
    stopSequences: ['x'],
    metadata: { a: 1 },
  });
});

test('B33: protocol plumbing does not reach the callback: _meta, task and unknown members are left out', () => {
  const asked = passed(sample({ _meta: { progressToken: 1 }, task: { ttl: 5 }, extra: 'x' }));
  assert.deepEqual(Object.keys(asked.params).sort(), ['maxTokens', 'messages']);
});

test('B34: maxTokens is a positive safe integer, else refused (case 70)', () => {
  for (const maxTokens of [0, -1, 1.5, undefined, null, '100', Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, true, [5]])
    refused(sample({ maxTokens }), invalidParams, '/maxTokens');
});

test('B34: maxTokens above the limit is clamped in what the callback sees', () => {
  assert.equal(passed(sample({ maxTokens: 1_000_000 })).params.maxTokens, 4096);
  assert.equal(passed(sample({ maxTokens: 4096 })).params.maxTokens, 4096);
  assert.equal(passed(sample({ maxTokens: 1 })).params.maxTokens, 1);
  assert.equal(passed(sample({ maxTokens: 1_000_000 }, { sampling: { maxTokens: 10 } })).params.maxTokens, 10);
});

test('B35: includeContext other than none becomes none unless allowed; absent stays absent (case 75)', () => {
  for (const includeContext of ['thisServer', 'allServers', 'none']) {
    assert.equal(passed(sample({ includeContext })).params.includeContext, 'none');
    assert.equal(passed(sample({ includeContext }, { sampling: { context: true } })).params.includeContext, includeContext);
  }
  assert.ok(!('includeContext' in passed(sample({})).params));
  refused(sample({ includeContext: 'everything' }), invalidParams, '/includeContext');
});

test('B36: with no call in flight sampling is refused with the rejection code, unless allowIdle (case 78)', () => {
  refused(sample({}, { idle: true }), rejected);
  refused(sample({}, { idle: true, sampling: { rejectionCode: -42 } }), -42);
  passed(sample({}, { idle: true, sampling: { allowIdle: true } }));
  passed(sample({}, { idle: false }));
});

test('B36: a malformed request is malformed, idle or not', () => {
  refused(sample({ maxTokens: 0 }, { idle: true }), invalidParams);
});

const rounds = (count: number): object[] => [
  user,
  ...Array.from({ length: count }, (_, index) => [assistant(text, use(`t${index}`)), answers(result(`t${index}`))]).flat(),
];

test('B37: five assistant messages with tool_use pass, the sixth is refused with the rejection code (case 78)', () => {
  passed(sample({ messages: rounds(5) }, withTools));
  refused(sample({ messages: rounds(6) }, withTools), rejected, '/messages');
  passed(sample({ messages: rounds(50) }, { sampling: { tools: true, maxToolIterations: 50 } }));
  refused(sample({ messages: rounds(1) }, { sampling: { tools: true, maxToolIterations: 0, rejectionCode: 7 } }), 7);
});

test('B4: tools or toolChoice without the capability are refused, even an empty list (case 76)', () => {
  for (const more of [{ tools: [add] }, { tools: [] }, { toolChoice: { mode: 'required' } }, { toolChoice: {} }])
    refused(sample(more), invalidParams, 'tools' in more ? '/tools' : '/toolChoice');
  const offered = passed(sample({ tools: [add], toolChoice: { mode: 'auto' } }, withTools));
  assert.deepEqual(offered.params.tools, [add]);
  assert.deepEqual(offered.offeredTools, ['add']);
  refused(sample({ tools: [add] }, { ...withTools, revision: '2025-06-18' }), invalidParams, '/tools');
});

const plain = [user, { role: 'assistant', content: text }, user];
const messageRows: readonly (readonly [name: string, messages: unknown, path: string])[] = [
  ['no list', 'hi', '/messages'],
  ['missing', undefined, '/messages'],
  ['a message that is no object', [user, 'hi'], '/messages/1'],
  ['an unknown role', [{ role: 'system', content: text }], '/messages/0/role'],
  ['no content', [user, { role: 'user' }], '/messages/1/content'],
  ['an empty list of content', [{ role: 'user', content: [] }], '/messages/0/content'],
  ['content as a text', [{ role: 'user', content: 'hi' }], '/messages/0/content'],
  ['an unknown kind', [{ role: 'user', content: { type: 'video', data: '', mimeType: '' } }], '/messages/0/content'],
  ['an inherited kind', [{ role: 'user', content: { type: 'constructor' } }], '/messages/0/content'],
  ['a text without text', [{ role: 'user', content: { type: 'text' } }], '/messages/0/content'],
  ['an image without data', [{ role: 'user', content: { type: 'image', mimeType: 'image/png' } }], '/messages/0/content'],
  ['an audio without type', [{ role: 'user', content: { type: 'audio', data: 'AA==' } }], '/messages/0/content'],
  [
    'a resource_link outside a tool result',
    [{ role: 'user', content: { type: 'resource_link', uri: 'a:b', name: 'n' } }],
    '/messages/0/content',
  ],
  ['a lone tool_result (case 72)', [answers(result('t9'))], '/messages/0'],
  ['a tool_result mixed with text (case 72)', [user, assistant(use('t1')), answers(result('t1'), text)], '/messages/2'],
  ['two uses and one result (case 72)', [user, assistant(use('t1'), use('t2')), answers(result('t1'))], '/messages/2'],
  ['a result for nothing', [user, assistant(use('t1')), answers(result('t1'), result('t2'))], '/messages/2'],
  ['a use answered twice', [user, assistant(use('t1')), answers(result('t1'), result('t1'))], '/messages/2'],
  ['a use answered too late', [user, assistant(use('t1')), user, answers(result('t1'))], '/messages/2'],
  ['a use left open', [user, assistant(use('t1'))], '/messages/1'],
  ['two uses with one id', [user, assistant(use('t1'), use('t1')), answers(result('t1'))], '/messages/1'],
  ['a use by the user', [answers(use('t1'))], '/messages/0'],
  ['a result by the assistant', [user, assistant(use('t1')), assistant(result('t1'))], '/messages/2'],
  ['a use without input', [user, assistant({ type: 'tool_use', id: 'a', name: 'b' })], '/messages/1/content'],
  ['a result with foreign content', [user, assistant(use('t1')), answers(result('t1', [use('t2')]))], '/messages/2/content'],
  [
    'a result whose content is a text',
    [user, assistant(use('t1')), answers({ type: 'tool_result', toolUseId: 't1', content: 'x' })],
    '/messages/2/content',
  ],
];

for (const [name, messages, path] of messageRows) {
  test(`B38: messages with ${name} are refused at ${path}`, () => {
    refused(sample({ messages }, withTools), invalidParams, path);
  });
}

test('B38: valid pairs pass, with every kind of content inside a tool result (case 72)', () => {
  const inner = [
    text,
    { type: 'image', data: 'AA==', mimeType: 'image/png' },
    { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
    { type: 'resource_link', uri: 'file:///x', name: 'x' },
    { type: 'resource', resource: { uri: 'file:///x', text: 'x' } },
  ];
  const messages = [...plain, assistant(text, use('t1'), use('t2')), answers(result('t2'), result('t1', inner)), assistant(text)];
  const asked = passed(sample({ messages }, withTools));
  assert.deepEqual(asked.params.messages, messages, 'blocks keep what belongs to them');
});

test('B38: 2025-06-18 has single blocks and no tool content; later revisions have both', () => {
  for (const revision of revisions) {
    const early = revision === '2025-06-18';
    passed(sample({ messages: plain }, { revision }));
    const list = sample({ messages: [answers(text, text)] }, { revision });
    if (early) refused(list, invalidParams, '/messages/0/content');
    else passed(list);
  }
  refused(
    sample({ messages: [{ role: 'assistant', content: use('t') }] }, { revision: '2025-06-18' }),
    invalidParams,
    '/messages/0/content',
  );
});

test('B38: members of a wrong type are refused by name', () => {
  const rows = { systemPrompt: 1, modelPreferences: [], temperature: 'hot', stopSequences: ['a', 1], metadata: 'x' };
  for (const [name, value] of Object.entries(rows)) refused(sample({ [name]: value }), invalidParams, `/${name}`);
  for (const modelPreferences of ['x', { hints: 'x' }, { hints: [null] }, { hints: [{ name: 5 }] }, { costPriority: 'high' }])
    refused(sample({ modelPreferences }), invalidParams, '/modelPreferences');
  passed(sample({ modelPreferences: { hints: [{ name: 'a' }, {}], costPriority: 0.3, speedPriority: 1, other: 'x' } }));
  for (const tools of [{}, [{}], [{ name: 'a' }], ['a']]) refused(sample({ tools }, withTools), invalidParams, '/tools');
  for (const toolChoice of ['auto', { mode: 'any' }, null])
    refused(sample({ toolChoice }, withTools), invalidParams, '/toolChoice');
  for (const params of [undefined, null, [], 'x']) refused(admit({ kind: 'sampling', params }, policy()), invalidParams, '');
});

const said = { role: 'assistant', content: text, model: 'm' };

test('B39: a result has role, model and content of known kinds, and nothing else is sent', () => {
  const asked = passed(sample({}));
  assert.deepEqual(passed(release({ ...said, stopReason: 'endTurn', usage: { cost: 1 } }, asked)), {
    ...said,
    stopReason: 'endTurn',
  });
  assert.deepEqual(passed(release({ ...said, content: [text, text] }, asked)), { ...said, content: [text, text] });
  const bad: readonly unknown[] = [
    undefined,
    null,
    'hi',
    [],
    {},
    { ...said, role: 'system' },
    { ...said, model: undefined },
    { ...said, model: 7 },
    { ...said, content: undefined },
    { ...said, content: 'hi' },
    { ...said, content: [] },
    { ...said, content: { type: 'video' } },
    { ...said, content: { type: 'text', text: 7 } },
    { ...said, content: result('t1') },
    { ...said, content: { type: 'resource_link', uri: 'a:b', name: 'n' } },
    { ...said, stopReason: 7 },
  ];
  for (const value of bad) refused(release(value, asked), internal);
});

test('B39: a text that was cut within a character is refused: many servers could not decode the answer, and would wait on', () => {
  const asked = passed(sample({ tools: [add] }, withTools));
  const cut = 'all well \ud83d';
  const input = { ...use('t1'), input: { [cut]: [] } };
  for (const content of [{ type: 'text', text: cut }, [text, { type: 'text', text: cut }], [input]])
    refused(release({ ...said, content }, asked), internal);
  for (const changed of [{ model: cut }, { stopReason: cut }]) refused(release({ ...said, ...changed }, asked), internal);
  passed(release({ ...said, content: { type: 'text', text: 'all well \u{1f600}' } }, asked));
});

test('B39: tool_use only if tools were offered and named (case 71)', () => {
  const call = { role: 'assistant', content: [use('t1')], model: 'm', stopReason: 'toolUse' };
  const offered = passed(sample({ tools: [add] }, withTools));
  assert.deepEqual(passed(release(call, offered)), call);
  refused(release(call, passed(sample({}, withTools))), internal, '/content');
  refused(release({ ...call, content: [use('t1', 'rm')] }, offered), internal, '/content');
  refused(release({ ...call, content: [use('t1', 'toString')] }, offered), internal, '/content');
  refused(release({ ...call, content: [use('t1'), use('t1')] }, offered), internal, '/content');
  refused(release({ ...call, role: 'user' }, offered), internal, '/content');
  const forbidden = passed(sample({ tools: [add], toolChoice: { mode: 'none' } }, withTools));
  refused(release(call, forbidden), internal, '/content');
});

test('B39: under 2025-06-18 the content is a single block', () => {
  const asked = passed(sample({}, { revision: '2025-06-18' }));
  passed(release(said, asked));
  refused(release({ ...said, content: [text] }, asked), internal, '/content');
});

test('B34 to B39: refusals name limits and places, never what was sent', () => {
  const secret = 'hunter2';
  const rows = [
    sample({ maxTokens: secret }),
    sample({ messages: [{ role: secret, content: text }] }),
    sample({ tools: [{ name: secret }] }),
    release({ ...said, model: { secret } }, passed(sample({}))),
  ];
  for (const row of rows) assert.doesNotMatch(JSON.stringify(row), /hunter/);
});
