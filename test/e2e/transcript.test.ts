/** Transcripts as other programs read them, and sessions that were killed at any moment. */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { reply, say, use } from '../support/replies.ts';
import { entriesOf, resultOf, scene } from '../support/scene.ts';

test('lines are compact JSON of the shape that public readers know', async () => {
  await using on = await scene();
  on.server.script(
    [say('Let me see.'), use('Read', { file_path: join(on.repo.path, 'README.md') })],
    say('done'),
  );
  const result = resultOf(await on.ask('look', '--output-format', 'json'));
  const [path = ''] = on.transcripts();
  expect(path).toBe(
    join(
      on.repo.state,
      'projects',
      on.repo.path.replaceAll(/[^a-zA-Z0-9]/g, '-'),
      `${result.session_id}.jsonl`,
    ),
  );
  const text = readFileSync(path, 'utf8');
  expect(text).toContain('"role":"assistant"');
  for (const line of text.trim().split('\n')) expect(line).toBe(JSON.stringify(JSON.parse(line)));
  const entries = entriesOf(path);
  const assistant = entries.filter(({ type }) => type === 'assistant');
  expect(assistant.at(-1)).toMatchObject({
    sessionId: result.session_id,
    cwd: on.repo.path,
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    gitBranch: 'main',
    isSidechain: false,
    userType: 'external',
    timestamp: expect.stringMatching(/Z$/),
    uuid: expect.any(String),
    parentUuid: expect.any(String),
    message: {
      role: 'assistant',
      id: expect.any(String),
      model: expect.any(String),
      content: [{ type: 'text', text: 'done' }],
      usage: { input_tokens: expect.any(Number) },
    },
  });
  const uuids = new Set(entries.map(({ uuid }) => uuid));
  for (const { parentUuid } of entries) if (parentUuid) expect(uuids.has(parentUuid)).toBe(true);
  // What a Stop hook of others does: the last assistant line's text.
  const last =
    text
      .split('\n')
      .filter((line) => line.includes('"role":"assistant"'))
      .at(-1) ?? '';
  expect(JSON.parse(last).message.content.filter((block: { type: string }) => block.type === 'text')).toEqual(
    [{ type: 'text', text: 'done' }],
  );
});

test('a cost reader counts the tokens', async () => {
  const usage = {
    input_tokens: 1000,
    output_tokens: 200,
    cache_creation_input_tokens: 30,
    cache_read_input_tokens: 4,
  };
  await using on = await scene([reply(say('one'), { usage }), reply(say('two'), { usage })]);
  await on.ask('a');
  await on.ask('b', '--continue');
  const foreign = join(on.repo.root, 'foreign');
  cpSync(join(on.repo.state, 'projects'), join(foreign, 'projects'), { recursive: true });
  const ccusage = resolve(import.meta.dirname, '../../node_modules/.bin/ccusage');
  const counted = JSON.parse(
    execFileSync(ccusage, ['daily', '--json', '--offline'], {
      env: { ...on.repo.env, CLAUDE_CONFIG_DIR: foreign },
      encoding: 'utf8',
    }),
  );
  expect(counted.totals).toMatchObject({
    inputTokens: 2000,
    outputTokens: 400,
    cacheCreationTokens: 60,
    cacheReadTokens: 8,
  });
});

const seed = Number(process.env.COPPICE_TEST_SEED ?? Date.now() % 1_000_000);
/** mulberry32 */
const random = (state: number) => () => {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};

const POINTS = Number(process.env.COPPICE_TEST_KILLS ?? 12);

test(`killed at a random write, it goes on with all that was taken in (seed ${seed})`, async () => {
  const next = random(seed);
  let kills = 0;
  await using on = await scene();
  const id = '11111111-2222-4333-8444-555555555555';
  on.server.always(
    () => true,
    (request) => {
      if (request.results.length > 0 || !/question \d+$/.test(request.prompt))
        return say(`heard ${request.body.messages.length}`);
      return [say('Listing.'), use('Bash', { command: 'ls' })];
    },
  );
  await on.ask('question 0', '--session-id', id, '--allowedTools', 'Bash');
  for (let point = 1; point <= POINTS; point++) {
    const nth = 1 + Math.floor(next() * 40);
    const killed = await on.run(['-p', `question ${point}`, '--resume', id, '--allowedTools', 'Bash'], {
      command: [
        'strace',
        '-f',
        '-qq',
        '-o',
        '/dev/null',
        '-e',
        'trace=write',
        '-e',
        `inject=write:signal=KILL:when=${nth}`,
        process.execPath,
        resolve(import.meta.dirname, '../../bin/coppice.js'),
      ],
    });
    if (killed.signal === 'SIGKILL') kills += 1;
    const onDisk = readFileSync(on.transcripts()[0] ?? '', 'utf8').includes(`question ${point}"`);
    const after = await on.ask(`after ${point}`, '--resume', id, '--allowedTools', 'Bash');
    expect([seed, nth, killed.signal, after.code, after.stderr.replace(/^A damaged tail.*\n/, '')]).toEqual([
      seed,
      nth,
      killed.signal,
      0,
      '',
    ]);
    expect(on.server.violations).toEqual([]);
    const sent = on.sent(-1);
    if (onDisk) expect([seed, nth, sent]).toEqual([seed, nth, expect.stringContaining(`question ${point}"`)]);
    for (let earlier = 0; earlier < point; earlier++) expect(sent).toContain(`after ${Math.max(1, earlier)}`);
  }
  // Writes beyond the last are never reached: those runs end by themselves.
  expect(kills).toBeGreaterThan(POINTS / 4);
}, 120_000);
