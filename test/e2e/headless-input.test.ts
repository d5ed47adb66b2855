/** What a run without a screen takes in: argument, pipe, lines of JSON; and what it makes of wrong words. */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gate, pauseAfter, say, use } from '../support/replies.ts';
import { jsonLines } from '../support/run-binary.ts';
import { entriesOf, scene } from '../support/scene.ts';

test('piped input is the prompt, or stands behind the one that was typed', async () => {
  await using on = await scene([say('one'), say('two'), say('three')]);
  const alone = await on.run(['-p'], { stdin: 'from the pipe' });
  expect([alone.code, alone.stdout, alone.stderr]).toEqual([0, 'one\n', '']);
  expect(on.server.requests[0]?.prompt).toMatch(/from the pipe$/);
  await on.run(['-p', 'explain this'], { stdin: 'some text\n' });
  expect(on.server.requests[1]?.prompt).toMatch(/explain this\n\nsome text$/);
  const bare = await on.run([], { stdin: 'without -p' });
  expect([bare.code, bare.stdout]).toEqual([0, 'three\n']);
  expect(on.server.requests[2]?.prompt).toMatch(/without -p$/);
});

test('an input left open and silent is not waited for when there is a prompt', async () => {
  await using on = await scene([say('here')]);
  const run = on.start(['-p', 'hello']);
  const ran = await run.ended;
  expect([ran.code, ran.stdout]).toEqual([0, 'here\n']);
  expect(ran.stderr).toMatch(/^Nothing came on standard input for 3 s[^\n]*\n$/);
});

test('more than 10 MB of input is refused in one sentence', async () => {
  await using on = await scene();
  const ran = await on.run(['-p'], { stdin: 'x'.repeat(10 * 1024 * 1024 + 1) });
  expect(await on.breaches({ failure: { ran, names: '10 MB' } })).toEqual([]);
  expect(on.server.requests).toHaveLength(0);
});

const line = (content: unknown) =>
  `${JSON.stringify({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' })}\n`;
const STREAM = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];

test('lines of JSON are turns of one conversation, each with its result', async () => {
  await using on = await scene([say('first'), say('second'), say('third')]);
  const run = on.start(STREAM);
  run.write(line('one'));
  await run.waitFor('"result":"first"');
  run.write('this is no JSON\n{"type":"user"}\n');
  run.write(line([{ type: 'text', text: 'two' }]));
  await run.waitFor('"result":"second"');
  run.write(line('three'));
  run.endInput();
  const ran = await run.ended;
  expect(ran.code).toBe(0);
  const lines = jsonLines(ran.stdout);
  expect(lines.filter(({ subtype }) => subtype === 'init')).toHaveLength(1);
  expect(lines.filter(({ type }) => type === 'result').map(({ result }) => result)).toEqual([
    'first',
    'second',
    'third',
  ]);
  expect(new Set(lines.map(({ session_id }) => session_id)).size).toBe(1);
  expect(ran.stderr.trim().split('\n')).toHaveLength(2);
  expect(ran.stderr).toMatch(/Line 2 .*not JSON[\s\S]*Line 3 /);
  expect(on.sent(2)).toContain('first');
  expect(await on.breaches({ kept: ['one', 'two', 'three', 'first', 'second', 'third'] })).toEqual([]);
});

test('what was read from lines can be said back', async () => {
  await using on = await scene([say('yes')]);
  const ran = await on.run([...STREAM, '--replay-user-messages'], { stdin: line('are you there') });
  const [replayed] = jsonLines(ran.stdout).filter(({ type }) => type === 'user');
  expect(replayed).toMatchObject({ isReplay: true, message: { role: 'user' } });
  expect(JSON.stringify(replayed)).toContain('are you there');
});

const ask = (id: string, request: object) =>
  `${JSON.stringify({ type: 'control_request', request_id: id, request })}\n`;
const answersIn = (stdout: string) =>
  Object.fromEntries(
    jsonLines(stdout).flatMap(({ type, response }) =>
      type === 'control_response' ? [[(response as { request_id: string }).request_id, response]] : [],
    ),
  );

test('a driving program asks beside its messages, in mid-turn too; what nobody knows gets an error', async () => {
  const hold = gate();
  await using on = await scene([pauseAfter(say('half of it'), 3, hold), say('second'), say('third')]);
  const run = on.start([...STREAM, '--include-partial-messages']);
  run.write(ask('a', { subtype: 'initialize', hooks: null }));
  run.write(ask('b', { subtype: 'rewind_time' }));
  run.write(ask('c', { subtype: 'set_permission_mode' }));
  run.write('{"type":"keep_alive"}\n');
  run.write(line('one'));
  await run.waitFor('half of it');
  run.write(ask('d', { subtype: 'interrupt' }));
  await run.waitFor('"type":"result"');
  run.write(ask('e', { subtype: 'set_model', model: 'small' }));
  run.write(ask('f', { subtype: 'set_permission_mode', mode: 'plan' }));
  run.write(ask('g', { subtype: 'set_permission_mode', mode: 'bypassPermissions' }));
  run.write(ask('h', { subtype: 'set_model', model: 'no-such' }));
  run.write(ask('i', { subtype: 'mcp_status' }));
  run.write(line('two'));
  await run.waitFor('"result":"second"');
  run.endInput();
  const ran = await run.ended;
  hold.open();
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  expect(answersIn(ran.stdout)).toMatchObject({
    a: {
      subtype: 'success',
      response: {
        commands: expect.arrayContaining([{ name: 'compact', description: '', argumentHint: '' }]),
      },
    },
    b: { subtype: 'error', error: expect.stringContaining('rewind_time') },
    c: { subtype: 'error', error: expect.stringContaining('mode') },
    d: { subtype: 'success' },
    e: { subtype: 'success' },
    f: { subtype: 'success', response: { mode: 'plan' } },
    g: { subtype: 'error', error: expect.stringContaining('--allow-dangerously-skip-permissions') },
    h: { subtype: 'error', error: expect.stringContaining('no-such') },
    i: { subtype: 'success', response: { mcpServers: [] } },
  });
  expect(on.server.requests.map(({ body }) => body.model)).toEqual(['claude-sonnet-5-5', 'claude-haiku-5-5']);
  expect(on.sent(-1)).toMatch(/[Pp]lan mode/);
  expect(await on.breaches({ kept: ['one', 'half of it', 'two', 'second'] })).toEqual([]);
});

test('permission questions go to the driving program, and a no comes with its words', async () => {
  const write = (name: string) => use('Write', { file_path: name, content: 'x' }, `toolu_${name}`);
  await using on = await scene([[write('a'), write('b')], write('c'), say('done')]);
  const run = on.start([...STREAM, '--permission-prompt-tool', 'stdio']);
  const seen = async (call: string): Promise<string> => {
    await run.waitFor(`"tool_use_id":"${call}","decision`);
    const asked = jsonLines(run.stdout()).find(
      ({ type, request }) =>
        type === 'control_request' && (request as { tool_use_id: string }).tool_use_id === call,
    );
    expect(asked).toMatchObject({ request: { subtype: 'can_use_tool', input: { content: 'x' } } });
    return String(asked?.request_id);
  };
  const answer = (id: string, response: object) =>
    run.write(
      `${JSON.stringify({ type: 'control_response', response: { subtype: 'success', request_id: id, response } })}\n`,
    );
  run.write(line('go'));
  answer(await seen('toolu_a'), { behavior: 'allow', updatedInput: { file_path: 'a', content: 'y' } });
  answer(await seen('toolu_b'), { behavior: 'deny', message: 'not this one' });
  await seen('toolu_c');
  run.endInput();
  const ran = await run.ended;
  expect(ran.code).toBe(0);
  expect(readFileSync(join(on.repo.path, 'a'), 'utf8')).toBe('y');
  expect(on.server.requests[1]?.results).toMatchObject([
    { id: 'toolu_a', error: false },
    { id: 'toolu_b', error: true, text: expect.stringContaining('not this one') },
  ]);
  expect(on.server.requests[2]?.results).toMatchObject([
    { id: 'toolu_c', error: true, text: expect.stringContaining('permission prompt is gone') },
  ]);
  expect(await on.breaches({ kept: ['go', 'done'] })).toEqual([]);
});

test('what the model asks goes to the driving program, and its answers to the model', async () => {
  const ask = (id: string) =>
    use(
      'AskUserQuestion',
      {
        questions: [
          { question: 'Where to?', options: [{ label: 'A' }, { label: 'B' }] },
          { question: 'With what?', multiSelect: true, options: [{ label: 'C' }, { label: 'D' }] },
        ],
      },
      id,
    );
  await using on = await scene([ask('toolu_a'), ask('toolu_b'), say('done')]);
  const run = on.start([...STREAM, '--permission-prompt-tool', 'stdio']);
  run.write(line('go'));
  await run.waitFor('"tool_use_id":"toolu_a","decision');
  const asked = jsonLines(run.stdout()).find(({ type }) => type === 'control_request');
  expect(asked).toMatchObject({ request: { subtype: 'can_use_tool', tool_name: 'AskUserQuestion' } });
  const response = {
    behavior: 'allow',
    updatedInput: { answers: { 'Where to?': 'home', 'With what?': 'D, C' } },
  };
  run.write(
    `${JSON.stringify({ type: 'control_response', response: { subtype: 'success', request_id: asked?.request_id, response } })}\n`,
  );
  await run.waitFor('"tool_use_id":"toolu_b","decision');
  run.endInput();
  expect((await run.ended).code).toBe(0);
  expect(on.server.requests[1]?.results).toMatchObject([
    { error: false, text: 'The user answered:\nWhere to? → home\nWith what? → C, D' },
  ]);
  expect(on.server.requests[2]?.results).toMatchObject([{ error: true }]);
});

describe('wrong words', () => {
  test.each([
    { args: ['-p', 'x', '--modle', 'small'], names: '--model', code: 2 },
    { args: ['-p', 'x', '--output-fromat', 'json'], names: '--output-format', code: 2 },
    { args: ['-p', 'x', '--output-format', 'yaml'], names: 'stream-json', code: 2 },
    { args: ['-p', 'x', '--max-turns', 'many'], names: '--max-turns', code: 2 },
    { args: ['-p', 'x', '--max-turns', '0'], names: '--max-turns', code: 2 },
    { args: ['-p', 'x', '--max-budget-usd', '-1'], names: '--max-budget-usd', code: 2 },
    { args: ['-p', 'x', '--effort', 'huge'], names: '--effort', code: 2 },
    { args: ['-p', 'x', '--permission-mode', 'yolo'], names: 'acceptEdits', code: 2 },
    { args: ['-p', 'x', '--session-id', 'not-a-uuid'], names: '--session-id', code: 2 },
    { args: ['-p', 'x', '--session-id', '../../../escape'], names: '--session-id', code: 2 },
    { args: ['-p', 'x', '--setting-sources', 'everywhere'], names: '--setting-sources', code: 2 },
    { args: ['-p', 'x', '--settings', '{"model":'], names: '--settings', code: 2 },
    { args: ['-p', 'x', '--settings', '/no/such/file.json'], names: '/no/such/file.json', code: 2 },
    { args: ['-p', 'x', '--system-prompt-file', '/no/such/file'], names: '/no/such/file', code: 2 },
    { args: ['-p', 'x', '--append-system-prompt-file', '/no/such/file'], names: '/no/such/file', code: 2 },
    { args: ['-p', 'x', '--json-schema', '{"type":'], names: '--json-schema', code: 1 },
    { args: ['-p', 'x', '--json-schema', '{"type":"nothing"}'], names: '--json-schema', code: 1 },
    { args: ['-p', 'x', '--add-dir', '/no/such/dir'], names: '/no/such/dir', code: 2 },
    { args: ['-p', 'x', '--tools', 'Bsah'], names: 'Bash', code: 2 },
    { args: ['-p', 'x', '--input-format', 'stream-json'], names: '--output-format', code: 2 },
    { args: ['-p', 'x', '--resume', 'nobody'], names: 'nobody', code: 1 },
    { args: ['-p', 'x', '--continue'], names: 'no earlier conversation', code: 1 },
    { args: ['-p'], names: 'needs a prompt', code: 2 },
    { args: ['permisions'], names: 'permissions', code: 2 },
    { args: ['trsut'], names: 'trust', code: 2 },
    { args: ['permissions', 'chekc'], names: 'check', code: 2 },
    { args: ['config', 'gte', 'model'], names: 'get', code: 2 },
  ])('$args', async ({ args, names, code }) => {
    await using on = await scene();
    const ran = await on.run(args);
    expect([ran.code, ran.stdout]).toEqual([code, '']);
    expect(await on.breaches({ failure: { ran, names } })).toEqual([]);
    expect(ran.stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
    expect(on.server.requests).toHaveLength(0);
    expect(on.transcripts()).toEqual([]);
  });
});

test('a slash command answers without a model; an unknown one suggests; a path is a prompt', async () => {
  await using on = await scene([say('read')]);
  const cost = await on.ask('/cost');
  expect([cost.code, on.server.requests.length]).toEqual([0, 0]);
  const wrong = await on.ask('/cmopact');
  expect(await on.breaches({ failure: { ran: wrong, names: '/compact' } })).toEqual([]);
  expect((await on.ask('/etc/hosts holds what?')).stdout).toBe('read\n');
});

test('any other first word is a prompt', async () => {
  await using on = await scene([say('hi'), say('hm')]);
  expect((await on.run(['hello'])).stdout).toBe('hi\n');
  expect((await on.run(['trust the process'])).stdout).toBe('hm\n');
});

test('--help and --version go to standard output, and nothing else is touched', async () => {
  await using on = await scene();
  const help = await on.run(['--help']);
  expect([help.code, help.stderr]).toEqual([0, '']);
  for (const flag of ['--print', '--resume', '--permission-mode', '--practice'])
    expect(help.stdout).toContain(flag);
  const version = await on.run(['--version']);
  expect([version.code, version.stderr]).toEqual([0, '']);
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(on.transcripts()).toEqual([]);
});

test('--continue without a prompt answers what waits, or says that nothing does', async () => {
  await using on = await scene([say('first'), say('second')]);
  await on.ask('one');
  const none = await on.run(['-p', '--continue']);
  expect(await on.breaches({ failure: { ran: none, names: 'give a prompt' } })).toEqual([]);
  // A prompt that was stored and never read, as a crash leaves it.
  const [path = ''] = on.transcripts();
  const mailbox = join(path.replace(/\.jsonl$/, ''), 'mailbox.jsonl');
  const [mail = ''] = readFileSync(mailbox, 'utf8').split('\n');
  appendFileSync(mailbox, `${mail.replaceAll('one', 'two').replace(/"id":"[^"]+"/, '"id":"a-later-one"')}\n`);
  const some = await on.run(['-p', '--continue']);
  expect([some.code, some.stdout]).toEqual([0, 'second\n']);
  expect(on.server.requests[1]?.prompt).toBe('two');
});

test('a mentioned file goes along, and hooks and the transcript hear what was typed', async () => {
  const hook = 'cat > heard.json';
  await using on = await scene([say('seen')], {
    files: {
      '.coppice/settings.json': JSON.stringify({
        hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: hook }] }] },
      }),
    },
  });
  const args = ['-p', 'look at @src/main.ts', '--trust'];
  expect((await on.run(args, { stdin: 'not @README.md' })).stdout).toBe('seen\n');
  expect(on.server.requests[0]?.prompt).toMatch(
    /look at @src\/main\.ts\n\nnot @README\.md\n<attached path=".*main\.ts">\n +1\tconsole.*\n<\/attached>$/,
  );
  expect(JSON.parse(await on.repo.read('heard.json'))).toMatchObject({
    prompt: 'look at @src/main.ts\n\nnot @README.md',
  });
  const [transcript = ''] = on.transcripts();
  const typed = entriesOf(transcript).find(
    (entry) => entry.type === 'user' && JSON.stringify(entry).includes('look at'),
  );
  expect(typed).toMatchObject({ coppice: { display: 'look at @src/main.ts\n\nnot @README.md' } });
});
