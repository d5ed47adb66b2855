import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { say, use } from '../support/replies.ts';
import { scene } from '../support/scene.ts';

test('commands of one reply that only read run side by side; one that writes keeps its place', async () => {
  await using on = await scene([
    [
      use('Bash', { command: 'cat first.pipe' }),
      use('Bash', { command: 'cat second.pipe' }),
      use('Bash', { command: 'cp word copy' }),
      use('Bash', { command: 'cat copy' }),
      use('Bash', { command: 'cd deep && pwd' }),
      use('Bash', { command: 'cat word' }),
    ],
    say('done'),
  ]);
  const at = (name: string): string => join(on.repo.path, name);
  await on.repo.write('word', 'before\n');
  await on.repo.write('deep/word', 'deep\n');
  const pipes = ['first.pipe', 'second.pipe'].map(at);
  execFileSync('mkfifo', pipes);
  const run = on.start(['-p', 'go', '--permission-mode', 'bypassPermissions'], {
    env: { COPPICE_SANDBOXED: '1' },
  });
  run.endInput();
  // Each waits for its reader: the second must be there while the first still waits.
  await writeFile(at('second.pipe'), 'two\n');
  await writeFile(at('word'), 'after\n');
  await writeFile(at('first.pipe'), 'one\n');
  expect(await run.ended).toMatchObject({ code: 0, stdout: 'done\n' });
  const results = on.server.requests[1]?.results.map(({ text }) => text);
  expect(results).toEqual([
    'one',
    'two',
    '(no output)',
    'after',
    expect.stringContaining(at('deep')),
    'deep',
  ]);
});
