import { describe, expect, test } from 'vitest';
import type { CallId } from '../../src/contract/ids.ts';
import { type AssistantMessage, type Message, malformedInput, noUsage } from '../../src/contract/message.ts';
import type { Effort, ModelRequest } from '../../src/contract/model.ts';
import { buildBody, maxTokensOf } from '../../src/model/body.ts';
import { thinkingBetas, thinkingDefault, thinkingFields } from '../../src/model/thinking.ts';

const person = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const answer = (...content: AssistantMessage['content']): Message => ({
  role: 'assistant',
  id: 'msg',
  model: 'm',
  stop_reason: 'tool_use',
  usage: noUsage,
  content,
});
const call = (id: string, input: unknown = {}): Message =>
  answer({ type: 'tool_use', id: id as CallId, name: 'Bash', input });
const result = (id: string): Message => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id as CallId, content: 'ok' }],
});

const request = (over: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'claude-opus-4-6',
  system: [
    { type: 'text', text: 'One.' },
    { type: 'text', text: 'Two.' },
  ],
  tools: [
    { name: 'Bash', description: 'Runs.', input_schema: { type: 'object' } },
    { name: 'Read', description: 'Reads.', input_schema: { type: 'object' } },
  ],
  messages: [person('Hello')],
  ...over,
});

const unmarked = (body: unknown): string =>
  JSON.stringify(body).replaceAll(',"cache_control":{"type":"ephemeral"}', '');
const marks = (body: unknown): number => JSON.stringify(body).split('"cache_control"').length - 1;

describe('the bytes of a request', () => {
  test('marks aside, each begins the next, over thirty rounds', () => {
    const messages: Message[] = [person('Begin.')];
    let before = '';
    for (let round = 0; round < 30; round++) {
      const bytes = unmarked(buildBody(request({ messages: [...messages] }))).replace(/\]\}$/, '');
      expect(bytes.startsWith(before)).toBe(true);
      before = bytes;
      messages.push(call(`toolu_${round}`, { command: `echo ${round}` }), result(`toolu_${round}`));
      if (round % 5 === 0) messages.push(answer({ type: 'text', text: 'Done.' }), person(`Next ${round}`));
    }
  });

  test('four marks at most: tools, system, the last two user turns', () => {
    const body = buildBody(
      request({
        messages: [person('1'), call('a'), result('a'), call('b'), result('b'), call('c'), result('c')],
      }),
    );
    expect(marks(body)).toBe(4);
    expect(JSON.stringify(body.tools)).toMatch(/Reads.*cache_control/);
    expect(JSON.stringify(body.system)).toMatch(/Two.*cache_control/);
    const messages = JSON.stringify(body.messages);
    expect(messages.indexOf('cache_control')).toBeGreaterThan(messages.indexOf('"tool_use_id":"b"'));
  });

  test('no marks when caching is off or the server refused them', () => {
    expect(marks(buildBody(request(), { caching: false }))).toBe(0);
    expect(marks(buildBody(request(), { quirks: new Set(['no-cache']) }))).toBe(0);
  });

  test('what is kept with a message does not go out', () => {
    const body = buildBody(
      request({ messages: [person('Hi'), answer({ type: 'text', text: 'Yes.' }), person('So')] }),
    );
    expect(JSON.stringify(body.messages)).not.toMatch(/"usage"|"stop_reason"|"id":"msg"/);
  });

  test('blank text and messages of nothing else are left out; marked inputs go back', () => {
    const body = buildBody(
      request({
        messages: [
          person('Hi'),
          answer({ type: 'text', text: ' \n' }),
          answer(
            { type: 'text', text: '' },
            { type: 'tool_use', id: 'x' as CallId, name: 'Bash', input: malformedInput('{"a') },
          ),
          result('x'),
        ],
      }),
    );
    expect(body.messages).toHaveLength(3);
    expect(JSON.stringify(body.messages)).toContain('{\\"a');
  });

  test('a thinking budget waits for the next turn where a tool round began without thinking', () => {
    const asked = { model: 'claude-haiku-4-5', thinkingTokens: 4000 };
    const round = [person('Hi'), call('a'), result('a')];
    expect(buildBody(request({ ...asked, messages: round }))).not.toHaveProperty('thinking');
    const next = [...round, answer({ type: 'text', text: 'Done.' }), person('Go on.')];
    expect(buildBody(request({ ...asked, messages: next }))).toHaveProperty('thinking');
  });

  test('server tools follow our own, unmarked', () => {
    const body = buildBody(request({ serverTools: [{ type: 'web_search_20250305', name: 'web_search' }] }));
    expect(JSON.stringify(body.tools)).toMatch(/web_search"}\]$/);
  });

  test.each([
    ['claude-opus-4-6', undefined, undefined, 32_000],
    ['claude-opus-5-5', undefined, 'max', 64_000],
    ['claude-haiku-4-5', 999_999, undefined, 64_000],
    ['claude-haiku-4-5-20251001', 100, undefined, 100],
    ['qwen-coder', undefined, undefined, 8192],
  ] as const)('%s asked for %s tokens at %s gets %s', (model, maxTokens, effort, expected) => {
    expect(maxTokensOf(request({ model, maxTokens, effort }))).toBe(expected);
  });
});

describe('thinking and effort, as each model takes them', () => {
  const rows: [model: string, thinkingTokens: number, effort: Effort | undefined, fields: unknown][] = [
    ['claude-haiku-4-5', 4000, 'high', { thinking: { type: 'enabled', budget_tokens: 4000 } }],
    ['claude-haiku-4-5', 0, undefined, {}],
    ['claude-haiku-4-5', 10, undefined, { thinking: { type: 'enabled', budget_tokens: 1024 } }],
    ['claude-haiku-4-5', 90_000, undefined, { thinking: { type: 'enabled', budget_tokens: 31_999 } }],
    ['claude-opus-4-5', 0, 'max', { output_config: { effort: 'high' } }],
    ['claude-opus-4-6', 1, 'xhigh', { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }],
    ['claude-opus-4-6', 0, 'max', { output_config: { effort: 'max' } }],
    ['claude-opus-4-8', 1, undefined, { thinking: { type: 'adaptive', display: 'summarized' } }],
    ['claude-sonnet-5', 0, 'low', { thinking: { type: 'disabled' }, output_config: { effort: 'low' } }],
    ['claude-haiku-5-5', 0, undefined, { thinking: { type: 'disabled' } }],
    [
      'claude-opus-5',
      0,
      'max',
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'max' } },
    ],
    ['claude-sonnet-5-5', 0, undefined, { thinking: { type: 'between_tools' } }],
    ['claude-sonnet-5-5', 1, undefined, { thinking: { type: 'adaptive', display: 'summarized' } }],
    ['claude-opus-5-5', 0, 'medium', { output_config: { effort: 'medium' } }],
    ['claude-opus-5-5', 1, undefined, { thinking: { type: 'adaptive', display: 'summarized' } }],
    ['claude-fable-5-1', 0, undefined, {}],
    ['anthropic/claude-sonnet-5.5', 0, undefined, { thinking: { type: 'between_tools' } }],
    ['claude-next-9', 0, undefined, {}],
    ['qwen-coder', 0, 'high', {}],
    ['qwen-coder', 2000, undefined, { thinking: { type: 'enabled', budget_tokens: 2000 } }],
  ];
  test.each(rows)('%s, %s tokens, effort %s', (model, thinkingTokens, effort, fields) => {
    expect(thinkingFields(request({ model, thinkingTokens, effort }), 32_000)).toEqual(fields);
  });

  test('a forced tool goes without thinking, and not at all to models that refuse it', () => {
    const toolChoice = { type: 'tool', name: 'Read' } as const;
    expect(
      thinkingFields(request({ model: 'claude-haiku-4-5', thinkingTokens: 4000, toolChoice }), 32_000),
    ).toEqual({
      tool_choice: toolChoice,
    });
    expect(thinkingFields(request({ model: 'claude-opus-5-5', toolChoice }), 32_000)).toEqual({});
  });

  test('models with a budget think between tools by a beta', () => {
    expect(thinkingBetas(request({ model: 'claude-haiku-4-5', thinkingTokens: 4000 }))).toHaveLength(1);
    expect(thinkingBetas(request({ model: 'claude-opus-5-5', thinkingTokens: 4000 }))).toEqual([]);
  });

  test.each([
    ['claude-opus-5-5', {}, 16_000],
    ['qwen-coder', {}, 0],
    ['qwen-coder', { MAX_THINKING_TOKENS: '3000' }, 3000],
    ['claude-opus-5-5', { MAX_THINKING_TOKENS: '0' }, 0],
  ])('%s begins with %o at %s', (model, env, tokens) => {
    expect(thinkingDefault(model, env)).toBe(tokens);
  });
});
