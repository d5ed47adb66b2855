/** Entries of every type, arbitrary and plain, for the tests of the stores. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { SessionId } from '../../src/contract/ids.ts';
import { modes } from '../../src/contract/mode.ts';
import type { Entry, EntryBody } from '../../src/contract/transcript.ts';

export const newSession = (): SessionId => randomUUID() as SessionId;

export const tempHome = async (): Promise<{ readonly home: string } & AsyncDisposable> => {
  const root = await mkdtemp(join(tmpdir(), 'coppice-store-'));
  return {
    home: join(root, 'home'),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
};

let clock = 0;
export const entry = (body: EntryBody, parentUuid: string | null = null): Entry => ({
  ...body,
  uuid: randomUUID(),
  parentUuid,
  timestamp: new Date(1_790_000_000_000 + clock++ * 1000).toISOString(),
});

export const opened = (project: string, more: Partial<Extract<EntryBody, { type: 'opened' }>> = {}): Entry =>
  entry({
    type: 'opened',
    source: 'startup',
    agent: { type: 'main' },
    root: newSession(),
    cwd: project,
    project,
    model: 'claude-x',
    mode: 'default',
    taskList: 'list',
    ...more,
  });

export const said = (text: string): Entry =>
  entry({ type: 'user', content: [{ type: 'text', text }], origin: { kind: 'person' } });

export const answered = (text: string, id = 'msg_1'): Entry =>
  entry({
    type: 'assistant',
    requestId: `req_${id}`,
    message: {
      role: 'assistant',
      id,
      model: 'claude-x',
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      usage: {
        input_tokens: 10,
        output_tokens: 5,
        cache_creation_input_tokens: 2,
        cache_read_input_tokens: 3,
      },
    },
  });

/** Strings with the characters that break line formats. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    '\u0000',
    '\n',
    '\r\n',
    '\u2028',
    '"role":"assistant"',
    '\ud800',
    '🪵',
    '{"type":"summary"}',
  ),
);
const plain = fc
  .jsonValue({ maxDepth: 3 })
  .map((value) => JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto')));
const some = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const call = fc.uuid().map((id) => `toolu_${id}` as never);
const textBlock = fc.record({ type: fc.constant('text' as const), text });
const userBlock = fc.oneof(
  textBlock,
  fc.record({
    type: fc.constant('tool_result' as const),
    tool_use_id: call,
    content: fc.oneof(text, fc.array(textBlock, { maxLength: 2 })),
    is_error: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('image' as const),
    source: fc.record({
      type: fc.constant('base64' as const),
      media_type: fc.constant('image/png'),
      data: fc.base64String(),
    }),
  }),
);
const assistantBlock = fc.oneof(
  textBlock,
  fc.record({ type: fc.constant('thinking' as const), thinking: text, signature: fc.base64String() }),
  fc.record({ type: fc.constant('tool_use' as const), id: call, name: text, input: plain }),
  fc.record({ type: fc.constant('server_tool_use' as const), id: text, input: plain }),
);
const origin = fc.oneof(
  fc.record({ kind: fc.constant('person' as const) }),
  fc.record({ kind: fc.constant('tools' as const) }),
  fc.record({ kind: fc.constant('hook' as const), label: text }),
  fc.record({ kind: fc.constant('mail' as const), from: text, id: text, summary: some(text) }),
  fc.record({ kind: fc.constant('system' as const), about: text }),
);
const usage = fc.record({
  input_tokens: fc.nat(),
  output_tokens: fc.nat(),
  cache_creation_input_tokens: fc.nat(),
  cache_read_input_tokens: fc.nat(),
});
const agent = fc.record({ type: text, name: some(text) });
const mode = fc.constantFrom(...modes);
const mail = some(fc.record({ box: text, place: fc.nat() }));

const body: fc.Arbitrary<EntryBody> = fc.oneof(
  fc.record({
    type: fc.constant('opened' as const),
    source: fc.constantFrom('startup' as const, 'resume' as const, 'fork' as const),
    agent,
    root: fc.uuid().map((id) => id as SessionId),
    cwd: text,
    project: text,
    model: text,
    mode,
    taskList: text,
    title: some(text),
    headless: some(fc.boolean()),
  }),
  fc.record({
    type: fc.constant('user' as const),
    content: fc.array(userBlock, { maxLength: 4 }),
    origin,
    mail,
    meta: some(fc.boolean()),
    display: some(text),
    responses: some(fc.dictionary(fc.uuid(), plain, { maxKeys: 3 })),
  }),
  fc.record({
    type: fc.constant('assistant' as const),
    requestId: some(text),
    partial: some(fc.boolean()),
    message: fc.record({
      role: fc.constant('assistant' as const),
      id: text,
      model: text,
      content: fc.array(assistantBlock, { maxLength: 4 }),
      stop_reason: fc.constantFrom('end_turn' as const, 'tool_use' as const, null),
      usage,
    }),
  }),
  fc.record({ type: fc.constant('refused' as const), text, reason: text, mail }),
  fc.record({
    type: fc.constant('failed' as const),
    failure: fc.record({ kind: fc.constant('overloaded' as const), text, retryable: fc.boolean() }),
  }),
  fc.record({
    type: fc.constant('mode' as const),
    mode,
    planFile: some(text),
    planScope: some(fc.array(text)),
  }),
  fc.record({ type: fc.constant('model' as const), model: some(text), thinkingTokens: some(fc.nat()) }),
  fc.record({ type: fc.constant('cwd' as const), cwd: text }),
  fc.record({ type: fc.constant('team' as const), team: fc.option(text), taskList: text }),
  fc.record({
    type: fc.constant('worktree' as const),
    worktree: fc.option(fc.record({ name: text, path: text, originalCwd: text })),
    cwd: text,
    checkout: text,
  }),
  fc.record({
    type: fc.constant('seen' as const),
    path: text,
    file: fc.record({ hash: text, mtimeMs: fc.nat(), size: fc.nat() }),
  }),
  fc.record({ type: fc.constant('title' as const), title: text, byPerson: fc.boolean() }),
  fc.record({
    type: fc.constant('compacted' as const),
    trigger: fc.constantFrom('manual' as const, 'auto' as const),
    preTokens: fc.nat(),
    summary: text,
    messages: fc.array(userBlock, { maxLength: 2 }),
    how: fc.constantFrom('model' as const, 'shortened' as const),
  }),
  fc.record({ type: fc.constant('rewound' as const), to: fc.option(text) }),
  fc.record({ type: fc.constant('checkpoint' as const), id: text, call: text, prompt: some(text) }),
  fc.record({
    type: fc.constant('note' as const),
    level: fc.constantFrom('info' as const, 'warn' as const),
    text,
  }),
  fc.record({ type: fc.constant('once' as const), key: text }),
  fc.record({ type: fc.constant('closed' as const), reason: fc.constant('other' as const) }),
);

export const anyEntry: fc.Arbitrary<Entry> = fc
  .tuple(body, fc.uuid(), fc.option(fc.uuid()), fc.nat())
  .map(([made, uuid, parentUuid, at]) => ({
    ...made,
    uuid,
    parentUuid,
    timestamp: new Date(at).toISOString(),
  }));
