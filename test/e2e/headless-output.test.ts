/** The shapes that scripts read: text, one object, lines; and the exit codes that go with them (conventions 10). */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { overloaded, reply, say, status, think, use } from '../support/replies.ts';
import { jsonLines } from '../support/run-binary.ts';
import { resultOf, scene } from '../support/scene.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const STREAM = ['--output-format', 'stream-json', '--verbose'];
const JSON_OUT = ['--output-format', 'json'];
const read = (on: { repo: { path: string } }) => use('Read', { file_path: join(on.repo.path, 'README.md') });

test('text is the last answer and nothing else', async () => {
  await using on = await scene();
  on.server.script([say('Let me see.'), read(on)], say('It is a **sample**.'));
  const ran = await on.ask('what is this');
  expect(ran).toMatchObject({ code: 0, stdout: 'It is a **sample**.\n', stderr: '' });
  expect(await on.breaches({ kept: ['what is this', 'Let me see.', 'It is a **sample**.'] })).toEqual([]);
});

test('json is one result object', async () => {
  await using on = await scene();
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    cache_creation_input_tokens: 7,
    cache_read_input_tokens: 3,
  };
  on.server.script(reply(read(on), { usage }), reply(say('done'), { usage }));
  const ran = await on.ask('look', ...JSON_OUT);
  expect(ran.stdout.trim().split('\n')).toHaveLength(1);
  const result = resultOf(ran);
  expect(Object.keys(result)).toEqual(
    expect.arrayContaining([
      'type',
      'subtype',
      'is_error',
      'result',
      'duration_ms',
      'duration_api_ms',
      'num_turns',
      'stop_reason',
      'total_cost_usd',
      'usage',
      'modelUsage',
      'permission_denials',
      'session_id',
      'uuid',
    ]),
  );
  expect(result).toMatchObject({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'done',
    num_turns: 2,
    stop_reason: 'end_turn',
    usage: {
      input_tokens: 20,
      output_tokens: 10,
      cache_creation_input_tokens: 14,
      cache_read_input_tokens: 6,
    },
    permission_denials: [],
    session_id: expect.stringMatching(UUID),
    uuid: expect.stringMatching(UUID),
  });
  expect(result.total_cost_usd).toBeGreaterThan(0);
  const [model, used] = Object.entries(result.modelUsage as Record<string, unknown>)[0] ?? [];
  expect(model).toMatch(/^claude-sonnet/);
  expect(used).toMatchObject({
    inputTokens: 20,
    outputTokens: 10,
    cacheReadInputTokens: 6,
    cacheCreationInputTokens: 14,
    costUSD: result.total_cost_usd,
  });
});

test('lines begin with init, end with the result, and carry ids', async () => {
  await using on = await scene();
  on.server.script([think('hm'), say('Let me see.'), read(on)], say('done'));
  const ran = await on.ask('look', ...STREAM);
  const lines = jsonLines(ran.stdout);
  for (const line of lines)
    expect([line, line.session_id, line.uuid]).toEqual([
      line,
      lines[0]?.session_id,
      expect.stringMatching(UUID),
    ]);
  expect(new Set(lines.map(({ uuid }) => uuid)).size).toBe(lines.length);
  expect(lines[0]).toMatchObject({
    type: 'system',
    subtype: 'init',
    cwd: on.repo.path,
    tools: expect.arrayContaining(['Bash', 'Read']),
    mcp_servers: [],
    model: expect.stringMatching(/^claude-/),
    permissionMode: 'default',
    slash_commands: expect.arrayContaining(['compact', 'commit']),
    skills: expect.any(Array),
    agents: expect.any(Array),
    plugins: [],
    output_style: 'default',
    apiKeySource: 'ANTHROPIC_API_KEY',
    claude_code_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  });
  const assistants = lines.filter(({ type }) => type === 'assistant');
  expect(assistants[0]).toMatchObject({
    parent_tool_use_id: null,
    message: {
      id: expect.any(String),
      type: 'message',
      role: 'assistant',
      model: expect.any(String),
      stop_reason: 'tool_use',
      usage: {},
    },
  });
  const blocks = assistants.flatMap(({ message }) =>
    (message as { content: { type: string }[] }).content.map(({ type }) => type),
  );
  expect(blocks).toEqual(['thinking', 'text', 'tool_use', 'text']);
  const [user] = lines.filter(({ type }) => type === 'user');
  expect(user).toMatchObject({
    parent_tool_use_id: null,
    message: { role: 'user', content: [{ type: 'tool_result' }] },
  });
  expect(lines.at(-1)).toMatchObject({ type: 'result', subtype: 'success', result: 'done' });
  expect(lines.some(({ type }) => type === 'stream_event')).toBe(false);
});

test('partial messages are the events of the service', async () => {
  await using on = await scene([reply(say('a longer answer than one piece'), { chunk: 8 })]);
  const ran = await on.ask('speak', ...STREAM, '--include-partial-messages');
  const events = jsonLines(ran.stdout).filter(({ type }) => type === 'stream_event');
  expect(events[0]).toMatchObject({ parent_tool_use_id: null, event: { type: 'message_start' } });
  const text = events.map(({ event }) => (event as { delta?: { text?: string } }).delta?.text ?? '').join('');
  expect(text).toBe('a longer answer than one piece');
});

describe('limits', () => {
  test('--max-turns ends with its own subtype and exit code 1', async () => {
    await using on = await scene();
    on.server.script(read(on), read(on), read(on));
    const ran = await on.ask('look', ...JSON_OUT, '--max-turns', '2');
    expect(resultOf(ran)).toMatchObject({
      subtype: 'error_max_turns',
      is_error: true,
      num_turns: 2,
      errors: [expect.stringContaining('2 turns')],
    });
    expect(on.server.requests).toHaveLength(2);
    expect(await on.breaches({ kept: ['look'], failure: { ran, names: '2 turns' } })).toEqual([]);
  });

  test('--max-budget-usd ends before the next request', async () => {
    await using on = await scene();
    on.server.script(reply(read(on), { usage: { input_tokens: 1_000_000 } }), say('never'));
    const ran = await on.ask('look', ...JSON_OUT, '--max-budget-usd', '0.01');
    expect(resultOf(ran)).toMatchObject({ subtype: 'error_max_budget_usd', is_error: true });
    expect([ran.code, on.server.requests.length]).toEqual([1, 1]);
  });

  test('a money limit for a model without a price does not start', async () => {
    await using on = await scene();
    const ran = await on.ask('look', '--model', 'local-llama', '--max-budget-usd', '1');
    expect(await on.breaches({ failure: { ran, names: /local-llama.*price|price.*local-llama/ } })).toEqual(
      [],
    );
    expect(on.server.requests).toHaveLength(0);
  });
});

describe('structured output', () => {
  const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const FLAGS = ['--json-schema', JSON.stringify(schema)];
  test('is the input of the last call, checked against the schema', async () => {
    await using on = await scene([
      use('StructuredOutput', { n: 'seven' }),
      use('StructuredOutput', { n: 7 }),
    ]);
    const ran = await on.ask('count', ...JSON_OUT, ...FLAGS);
    expect(resultOf(ran)).toMatchObject({ subtype: 'success', structured_output: { n: 7 } });
    expect(on.server.requests[1]?.results[0]).toMatchObject({ error: true });
    on.server.script(use('StructuredOutput', { n: 8 }));
    expect((await on.ask('count', ...FLAGS)).stdout).toBe('{"n":8}\n');
  });
  test('that never comes is an error of its own subtype', async () => {
    await using on = await scene(Array.from({ length: 12 }, () => say('seven')));
    const ran = await on.ask('count', ...JSON_OUT, ...FLAGS);
    expect(resultOf(ran)).toMatchObject({ subtype: 'error_max_structured_output_retries', is_error: true });
    expect([ran.code, on.server.requests.length]).toEqual([1, 4]);
  });
});

describe('sessions', () => {
  const turn = async (on: Awaited<ReturnType<typeof scene>>, ...flags: string[]) =>
    resultOf(await on.ask('a question', ...JSON_OUT, ...flags));

  test('continue, resume by id and name, fork, a chosen id', async () => {
    await using on = await scene(Array.from({ length: 7 }, (_, at) => say(`answer ${at}`)));
    const id = '0b9c2f9e-7c3f-4a54-9f2e-3a2d1d6f0a11';
    const first = await turn(on, '--session-id', id, '--name', 'the moon');
    expect(first.session_id).toBe(id);
    expect((await turn(on, '--continue')).session_id).toBe(id);
    expect((await turn(on, '--resume', id)).session_id).toBe(id);
    expect((await turn(on, '--resume', 'the moon')).session_id).toBe(id);
    const fork = await turn(on, '--resume', id, '--fork-session');
    expect(fork.session_id).not.toBe(id);
    expect(on.sent(-1)).toContain('answer 3');
    await turn(on, '--resume', id);
    expect(on.sent(-1)).not.toContain('answer 4');
    const twice = await on.ask('again', '--session-id', id);
    expect(await on.breaches({ failure: { ran: twice, names: id } })).toEqual([]);
    expect(on.transcripts()).toHaveLength(2);
  });

  test('nothing is kept with --no-session-persistence', async () => {
    await using on = await scene([say('secretly')]);
    const ran = await on.ask('psst', '--no-session-persistence');
    expect([ran.stdout, on.transcripts()]).toEqual(['secretly\n', []]);
    expect(await on.breaches()).toEqual([]);
  });
});

describe('tools and permissions', () => {
  test('a denied call is told in the result, and the run goes on', async () => {
    await using on = await scene([
      use('Write', { file_path: 'new.txt', content: 'x' }, 'toolu_w'),
      say('could not'),
    ]);
    const ran = await on.ask('write', ...JSON_OUT);
    expect(resultOf(ran)).toMatchObject({
      subtype: 'success',
      permission_denials: [
        {
          tool_name: 'Write',
          tool_use_id: 'toolu_w',
          tool_input: { file_path: expect.stringContaining('new.txt') },
        },
      ],
    });
    expect(existsSync(join(on.repo.path, 'new.txt'))).toBe(false);
  });

  test.each([
    { flags: ['--allowed-tools', 'Write'], wrote: true },
    { flags: ['--allowedTools', 'Edit(new.txt)'], wrote: true },
    { flags: ['--permission-mode', 'acceptEdits'], wrote: true },
    { flags: ['--permission-mode', 'plan'], wrote: false },
    { flags: ['--permission-mode', 'dontAsk'], wrote: false },
    { flags: ['--permission-mode', 'acceptEdits', '--disallowed-tools', 'Write'], wrote: false },
    { flags: ['--permission-mode', 'acceptEdits', '--disallowedTools', 'Edit(new.txt)'], wrote: false },
    { flags: ['--settings', '{"permissions":{"allow":["Write"]}}'], wrote: true },
  ])('$flags', async ({ flags, wrote }) => {
    await using on = await scene([use('Write', { file_path: 'new.txt', content: 'x' }), say('well')]);
    const ran = await on.ask('write', ...flags);
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, 'well\n', '']);
    expect(existsSync(join(on.repo.path, 'new.txt'))).toBe(wrote);
  });

  test('only the named tools are offered; a call of another is answered', async () => {
    await using on = await scene([use('Bash', { command: 'ls' }), say('none')]);
    await on.ask('look', '--tools', 'Read,Grep');
    expect(on.server.requests[0]?.tools.toSorted()).toEqual(['Grep', 'Read']);
    expect(on.server.requests[1]?.results[0]).toMatchObject({
      error: true,
      text: expect.stringContaining('Bash'),
    });
    on.server.script(say('bare'));
    await on.ask('look', '--tools', '');
    expect(on.server.requests[2]?.tools).toEqual([]);
  });

  test('a further directory may be written', async () => {
    await using on = await scene();
    const more = join(on.repo.root, 'more');
    mkdirSync(more);
    on.server.script(use('Write', { file_path: join(more, 'a.txt'), content: 'x' }), say('ok'));
    await on.ask('write', '--add-dir', '../more', '--permission-mode', 'acceptEdits');
    expect(existsSync(join(more, 'a.txt'))).toBe(true);
  });
});

describe('what the model is told', () => {
  test('system prompts by text and file', async () => {
    await using on = await scene([say('1'), say('2'), say('3')]);
    const file = join(on.repo.root, 'prompt.md');
    writeFileSync(file, 'You are a teapot.');
    await on.ask('x', '--system-prompt', 'You are a kettle.', '--append-system-prompt', 'Whistle.');
    expect(on.server.requests[0]?.system).toBe('You are a kettle.\n\nWhistle.');
    await on.ask('x', '--system-prompt-file', file);
    expect(on.server.requests[1]?.system).toBe('You are a teapot.');
    await on.ask('x', '--append-system-prompt-file', file);
    expect(on.server.requests[2]?.system).toMatch(/Coppice[\s\S]*You are a teapot\.$/);
  });

  test.each([
    ['small', /haiku/],
    ['haiku', /haiku/],
    ['medium', /sonnet/],
    ['large', /opus/],
    ['opus', /opus/],
    ['claude-test-9', /^claude-test-9$/],
  ])('--model %s', async (name, id) => {
    await using on = await scene([say('yes')]);
    await on.ask('x', '--model', name);
    expect(on.server.requests[0]?.body.model).toMatch(id);
  });

  test('--effort reaches the request', async () => {
    await using on = await scene([say('yes')]);
    await on.ask('x', '--effort', 'high');
    expect(on.server.requests[0]?.raw).toContain('"effort":"high"');
  });

  test('--fallback-model answers for one that is overloaded', async () => {
    await using on = await scene([overloaded(), overloaded(), overloaded(), say('from the other')]);
    const ran = await on.ask('x', '--model', 'opus', '--fallback-model', 'haiku');
    expect([ran.code, ran.stdout]).toEqual([0, 'from the other\n']);
    expect(on.server.requests.at(-1)?.body.model).toMatch(/haiku/);
    expect(ran.stderr).toContain('overloaded');
  });

  test('settings by source: user and project, only those asked for', async () => {
    await using on = await scene([say('1'), say('2'), say('3')], {
      files: { '.coppice/settings.json': '{"model":"opus"}' },
    });
    mkdirSync(on.repo.state, { recursive: true, mode: 0o700 });
    writeFileSync(join(on.repo.state, 'settings.json'), '{"model":"haiku"}', { mode: 0o600 });
    const models = [];
    for (const flags of [['--trust'], ['--trust', '--setting-sources', 'user'], ['--setting-sources', '']]) {
      await on.ask('x', ...flags);
      models.push(on.server.requests.at(-1)?.body.model);
    }
    expect(models).toEqual([
      expect.stringContaining('opus'),
      expect.stringContaining('haiku'),
      expect.stringContaining('sonnet'),
    ]);
  });
});

describe('failures', () => {
  test('of the service: one sentence, exit code 1, error_during_execution', async () => {
    await using on = await scene([status(400, { message: 'max_tokens: too large' })]);
    const ran = await on.ask('x', ...JSON_OUT);
    expect(resultOf(ran)).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      errors: [expect.stringContaining('max_tokens: too large')],
    });
    expect(on.server.requests).toHaveLength(1);
    expect(await on.breaches({ kept: ['x'], failure: { ran, names: 'max_tokens: too large' } })).toEqual([]);
  });

  test('NO_COLOR and TERM=dumb change nothing for scripts', async () => {
    await using on = await scene([say('plain'), say('plain')]);
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      const ran = await on.run(['-p', 'x'], { env });
      expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, 'plain\n', '']);
    }
  });

  test('debug words go to standard error only', async () => {
    await using on = await scene([say('plain')]);
    const ran = await on.ask('x', '--debug', '--verbose');
    expect(ran.stdout).toBe('plain\n');
    expect(ran.stderr).not.toContain('CANARY');
    expect(readFileSync(on.transcripts()[0] ?? '', 'utf8')).toContain('"role":"assistant"');
  });
});
