import { describe, expect, it } from 'vitest';
import type { CallId, SessionId } from '../../src/contract/ids.ts';
import type { Message } from '../../src/contract/message.ts';
import { noUsage } from '../../src/contract/message.ts';
import type { Entry, EntryBody } from '../../src/contract/transcript.ts';
import { openUses, sendable } from '../../src/loop/conversation.ts';
import { fold } from '../../src/loop/fold.ts';

const id = 's1' as SessionId;
const call = (text: string) => text as CallId;
const opened: EntryBody = {
  type: 'opened',
  source: 'startup',
  agent: { type: 'main' },
  root: id,
  cwd: '/p',
  project: '/p',
  model: 'm',
  mode: 'default',
  taskList: id,
};

const entries = (...bodies: readonly EntryBody[]): readonly Entry[] =>
  bodies.map((body, at) => ({
    ...body,
    uuid: `u${at}`,
    parentUuid: at === 0 ? null : `u${at - 1}`,
    timestamp: '2026-01-01T00:00:00.000Z',
  }));
const said = (text: string): EntryBody => ({
  type: 'user',
  origin: { kind: 'person' },
  content: [{ type: 'text', text }],
  mail: { box: id, place: Number(text.length) },
});
const replied = (text: string): EntryBody => ({
  type: 'assistant',
  message: {
    role: 'assistant',
    id: `msg_${text}`,
    model: 'm',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: { ...noUsage, input_tokens: 10, output_tokens: 5 },
  },
});

describe('the fold of a transcript', () => {
  it('lets skills allow and change things until the person speaks again', () => {
    const skill = (name: string, ahead?: boolean): EntryBody => ({
      type: 'skill',
      name,
      path: `/s/${name}`,
      text: `Do ${name}.`,
      allow: [`Bash(${name} *)`],
      ...(ahead ? { model: 'big', ahead } : {}),
    });
    const during = fold(id, entries(opened, said('hi'), skill('a'), skill('b'), skill('a')));
    expect(during?.inForce).toMatchObject({ allow: ['Bash(a *)', 'Bash(b *)'], ahead: false });
    expect(during?.skills?.map((one) => one.name)).toEqual(['b', 'a']);
    const after = fold(id, entries(opened, said('hi'), skill('a'), said('more')));
    expect(after).toMatchObject({ inForce: undefined, skills: [{ name: 'a', text: 'Do a.' }] });
    const ahead = entries(opened, said('hi'), skill('c', true), said('/c'), replied('ok'), said('next'));
    expect(fold(id, ahead.slice(0, 5))?.inForce).toMatchObject({
      allow: ['Bash(c *)'],
      model: 'big',
      ahead: false,
    });
    expect(fold(id, ahead)?.inForce).toBeUndefined();
  });

  it('is the conversation, the counts and the places reached', () => {
    const state = fold(id, entries(opened, said('hi'), replied('hello'), said('more')));
    expect(state).toMatchObject({
      turns: 2,
      contextTokens: 15,
      mailRead: { s1: 4 },
      last: 'u3',
      prompt: [{ type: 'text', text: 'more' }],
    });
    expect(state?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
  });

  it('remembers the mode to return to when plan mode ends', () => {
    const planned = fold(
      id,
      entries(opened, { type: 'mode', mode: 'acceptEdits' }, { type: 'mode', mode: 'plan' }),
    );
    expect(planned).toMatchObject({ mode: 'plan', modeBeforePlan: 'acceptEdits' });
  });

  it('leaves out what a rewind went back behind', () => {
    const state = fold(
      id,
      entries(
        opened,
        said('one'),
        replied('a'),
        said('three'),
        replied('b'),
        { type: 'rewound', to: 'u3' },
        said('again'),
      ),
    );
    expect(
      sendable(state?.messages ?? []).map((message) => (message.content[0] as { text: string }).text),
    ).toEqual(['one', 'a', 'again']);
  });

  it('begins anew from what a compaction kept', () => {
    const state = fold(
      id,
      entries(
        opened,
        said('one'),
        replied('a'),
        {
          type: 'compacted',
          trigger: 'auto',
          preTokens: 9,
          summary: 's',
          how: 'model',
          messages: [{ type: 'text', text: 'summary' }],
        },
        said('two'),
      ),
    );
    expect(sendable(state?.messages ?? [])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'summary' },
          { type: 'text', text: 'two' },
        ],
      },
    ]);
  });
});

describe('what is sent', () => {
  const use = (name: string) => ({ type: 'tool_use', id: call(name), name: 'Bash', input: {} }) as const;
  const reply = (...uses: readonly ReturnType<typeof use>[]): Message => ({
    role: 'assistant',
    id: 'r',
    model: 'm',
    content: uses,
    stop_reason: 'tool_use',
    usage: noUsage,
  });
  const result = (name: string): Message => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: call(name), content: name }],
  });
  const words = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });

  it('puts results in the order of their calls, before everything else', () => {
    const sent = sendable([
      words('go'),
      reply(use('a'), use('b')),
      result('b'),
      words('typed meanwhile'),
      result('a'),
    ]);
    expect(sent.at(-1)?.content).toEqual([
      ...result('a').content,
      ...result('b').content,
      ...words('typed meanwhile').content,
    ]);
  });

  it('sends one result per call and none without a call', () => {
    const sent = sendable([words('go'), reply(use('a')), result('a'), result('a'), result('stray')]);
    expect(sent.at(-1)?.content).toEqual(result('a').content);
  });

  it('never begins with an answer and never repeats a role', () => {
    const sent = sendable([reply(use('x')), words('one'), words('two'), reply(use('a')), result('a')]);
    expect(sent.map((message) => message.role)).toEqual(['user', 'assistant', 'user']);
  });

  it('knows which calls of the last reply are still open', () => {
    expect(openUses([words('go'), reply(use('a'), use('b')), result('a')]).map((one) => one.id)).toEqual([
      'b',
    ]);
  });
});
