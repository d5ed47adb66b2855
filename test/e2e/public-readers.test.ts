import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import { reply, say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';

test('a public cost reader finds the tokens of a real run, a sub-agent, a resumed and a compacted run too', async () => {
  await using server = await modelServer();
  await using place = await tempRepo({ server });
  const usage = (n: number) => ({
    usage: {
      input_tokens: 10 * n,
      output_tokens: n,
      cache_creation_input_tokens: 2 * n,
      cache_read_input_tokens: 3 * n,
    },
  });
  server.script(
    reply([say('I look.'), use('Read', { file_path: 'README.md' }), use('Glob', { pattern: '*' })], usage(1)),
    reply(
      use('Agent', { prompt: 'count', description: 'count', subagent_type: 'general-purpose' }),
      usage(2),
    ),
    reply(say('three'), usage(3)),
    reply(say('done'), usage(4)),
    reply(say('done again'), usage(5)),
    reply(say('A summary: README was read.'), usage(6)),
    reply(say('after it'), usage(7)),
  );
  expect(await runCoppice(place, ['-p', 'go'])).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(await runCoppice(place, ['-p', 'again', '--continue'])).toMatchObject({ code: 0 });
  expect(await runCoppice(place, ['-p', '/compact', '--continue'])).toMatchObject({ code: 0 });
  expect(await runCoppice(place, ['-p', 'more', '--continue'])).toMatchObject({
    code: 0,
    stdout: 'after it\n',
  });
  expect(server.violations).toEqual([]);
  const reader = join(import.meta.dirname, '../../node_modules/ccusage/dist/index.js');
  const env = { ...process.env, HOME: place.home, CLAUDE_CONFIG_DIR: place.state };
  const { stdout } = await promisify(execFile)(process.execPath, [reader, 'session', '--json', '--offline'], {
    env,
  });
  // Every reply once, before a compaction and after it; what the summary itself cost is no reply.
  expect(JSON.parse(stdout).totals).toMatchObject({
    inputTokens: 220,
    outputTokens: 22,
    cacheCreationTokens: 44,
    cacheReadTokens: 66,
  });
});
