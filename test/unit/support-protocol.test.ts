import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import { refusal } from '../support/protocol.ts';
import { say } from '../support/replies.ts';
import { signature } from '../support/sse.ts';
import { WireBody } from '../support/wire.ts';

const user = (...content: object[]) => ({ role: 'user', content });
const assistant = (...content: object[]) => ({ role: 'assistant', content });
const text = (words: string) => ({ type: 'text', text: words });
const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: {} });
const result = (id: string, content: unknown = 'ok') => ({ type: 'tool_result', tool_use_id: id, content });
const thought = (words: string, of = words) => ({
  type: 'thinking',
  thinking: words,
  signature: signature(of),
});
const marked = (words: string) => ({ ...text(words), cache_control: { type: 'ephemeral' } });

const judged = (messages: object[], rest: object = {}) =>
  refusal(WireBody.parse({ model: 'm', max_tokens: 4000, messages, ...rest }));

test.each<[string, object[], object?]>([
  ['a plain question', [user(text('hi'))]],
  ['a string for content', [{ role: 'user', content: 'hi' }]],
  ['two users in a row', [user(text('a')), user(text('b'))]],
  [
    'results in two user messages',
    [user(text('a')), assistant(call('1'), call('2')), user(result('1')), user(result('2'), text('and'))],
  ],
  [
    'a result without content',
    [user(text('a')), assistant(call('1')), user({ type: 'tool_result', tool_use_id: '1' })],
  ],
  ['thinking sent back unchanged', [user(text('a')), assistant(thought('hm'), text('b')), user(text('c'))]],
  ['four cache marks', [user(marked('a'), marked('b'), marked('c'), marked('d'))]],
])('%s passes', (_, messages, rest) => {
  expect(judged(messages, rest)).toBeUndefined();
});

test.each<[string, object[], RegExp, object?]>([
  ['an unknown role', [{ role: 'system', content: 'x' }], /Unexpected role "system"/],
  ['an assistant first', [assistant(text('a')), user(text('b'))], /first message/],
  ['an assistant last', [user(text('a')), assistant(text('b'))], /must end with a user/],
  ['no content', [{ role: 'user', content: [] }], /messages\.0: all messages must have non-empty content/],
  ['an empty string', [{ role: 'user', content: '' }], /non-empty content/],
  ['an empty text block', [user(text('a'), text(''))], /messages\.0\.content\.1: text content/],
  ['a text block of blanks', [user(text(' \n'))], /non-whitespace/],
  [
    'a call without result',
    [user(text('a')), assistant(call('1')), user(text('b'))],
    /without tool_result.*1/,
  ],
  [
    'one of two results',
    [user(text('a')), assistant(call('1'), call('2')), user(result('1'))],
    /without tool_result.*2/,
  ],
  [
    'a result twice',
    [user(text('a')), assistant(call('1')), user(result('1'), result('1'))],
    /single result/,
  ],
  [
    'a result without call',
    [user(text('a')), assistant(text('b')), user(result('1'))],
    /unexpected tool_use_id 1/,
  ],
  ['a result in the first message', [user(result('1'))], /unexpected tool_use_id 1/],
  [
    'a late result',
    [user(text('a')), assistant(call('1')), user(text('b')), assistant(text('c')), user(result('1'))],
    /without tool_result/,
  ],
  [
    'text before a result',
    [user(text('a')), assistant(call('1')), user(text('b'), result('1'))],
    /must come first/,
  ],
  [
    'an id used twice',
    [user(text('a')), assistant(call('1')), user(result('1')), assistant(call('1')), user(result('1'))],
    /unique/,
  ],
  ['a call by the user', [user(call('1'))], /belong into assistant/],
  [
    'a call with text for input',
    [user(text('a')), assistant({ ...call('1'), input: 'x' }), user(result('1'))],
    /valid dictionary/,
  ],
  [
    'an empty text in a result',
    [user(text('a')), assistant(call('1')), user(result('1', [text('')]))],
    /non-empty/,
  ],
  [
    'altered thinking',
    [user(text('a')), assistant(thought('hm', 'ha'), text('b')), user(text('c'))],
    /Invalid `signature`/,
  ],
  ['half a character', [user(text('a\ud83d'))], /lone surrogate/],
  ['five cache marks', [user(...['a', 'b', 'c', 'd', 'e'].map(marked))], /maximum of 4 blocks/],
  [
    'two tools of one name',
    [user(text('a'))],
    /unique/,
    { tools: ['T', 'T'].map((name) => ({ name, input_schema: { type: 'object' } })) },
  ],
  [
    'a tool name with a space',
    [user(text('a'))],
    /valid tool name/,
    { tools: [{ name: 'a b', input_schema: { type: 'object' } }] },
  ],
  ['a tool without schema', [user(text('a'))], /JSON schema/, { tools: [{ name: 'T' }] }],
  ['an empty system block', [user(text('a'))], /system\.0/, { system: [text('')] }],
  [
    'a thinking budget over the limit',
    [user(text('a'))],
    /greater than/,
    { thinking: { type: 'enabled', budget_tokens: 5000 } },
  ],
  [
    'a tool loop that lost its thinking',
    [user(text('a')), assistant(call('1')), user(result('1'))],
    /must start with a thinking block/,
    { thinking: { type: 'enabled', budget_tokens: 2000 } },
  ],
])('%s is refused', (_, messages, why, rest) => {
  expect(judged(messages, rest)).toMatch(why);
});

test.each<[string, RequestInit, number, RegExp]>([
  ['a body that is not JSON', { body: '{' }, 400, /shape of the protocol/],
  [
    'a body without messages',
    { body: '{"model":"m","max_tokens":1,"messages":[]}' },
    400,
    /at least one message/,
  ],
  ['a request without version', { body: '{}', headers: {} }, 400, /anthropic-version/],
  [
    'a request without max_tokens',
    { body: '{"model":"m","messages":[{"role":"user","content":"a"}]}' },
    400,
    /max_tokens/,
  ],
  ['a body over the set size', { body: ' '.repeat(2001) }, 413, /maximum size/],
])('%s is answered and recorded', async (_, init, code, why) => {
  await using server = await modelServer([say('never')], { maxBody: 2000 });
  const headers = { 'anthropic-version': '2023-06-01' };
  const answer = await fetch(`${server.url}/v1/messages`, { method: 'POST', headers, ...init });
  expect([answer.status, await answer.text()]).toEqual([code, expect.stringMatching(why)]);
  expect(server.violations).toEqual([expect.stringMatching(why)]);
});

test('a wrong key is refused with 401 and is no protocol error', async () => {
  await using server = await modelServer([], { key: 'right' });
  const answer = await fetch(`${server.url}/v1/models`, { headers: { 'x-api-key': 'wrong' } });
  const accepted = await fetch(`${server.url}/v1/models`, { headers: { authorization: 'Bearer right' } });
  expect([answer.status, accepted.status, server.violations]).toEqual([401, 200, []]);
});
