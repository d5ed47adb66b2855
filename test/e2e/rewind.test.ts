import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shimGit } from '../support/git-shim.ts';
import { modelServer } from '../support/model-server.ts';
import type { Received } from '../support/received.ts';
import { say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';

const MAY = ['--allowedTools', 'Bash,Write,Edit,Read'];
const bash = (command: string) => use('Bash', { command });

test('after edits, a command and a sub-agent, files and conversation go back to before a prompt, and files forth again', async () => {
  await using server = await modelServer();
  await using repo = await tempRepo({ server });
  const ask = (line: string, ...more: string[]) => runCoppice(repo, ['-p', line, ...MAY, ...more]);
  server.lane(
    ({ raw }: Received) => raw.includes('child-task'),
    bash('echo child >> README.md; echo c > child.txt'),
    say('child done'),
  );
  server.script(
    use('Write', { file_path: join(repo.path, 'first.txt'), content: 'first' }),
    say('one done'),
    [bash('echo bash >> README.md; mkdir made; echo m > made/m.txt; rm src/main.ts')],
    use('AgentTool', { prompt: 'child-task', description: 'change files' }),
    say('two done'),
  );
  expect(await ask('prompt one')).toMatchObject({ code: 0, stdout: 'one done\n' });
  expect(await ask('prompt two', '--continue')).toMatchObject({ code: 0, stdout: 'two done\n' });
  expect(await repo.read('README.md')).toBe('# Sample\nbash\nchild\n');

  const diff = (await ask('/diff', '--continue')).stdout;
  for (const words of ['README.md (+2 -0)', 'child.txt', 'first.txt', 'made/m.txt', 'src/main.ts', '+child'])
    expect(diff).toContain(words);

  expect((await ask('/rewind', '--continue')).stdout).toContain('2. prompt two');
  const back = await ask('/rewind 2 both', '--continue');
  expect(back).toMatchObject({ code: 0, stdout: expect.stringContaining('Put back 4 files') });
  expect([
    await repo.read('README.md'),
    await repo.read('src/main.ts'),
    ['made', 'child.txt'].map((name) => existsSync(join(repo.path, name))),
    await repo.read('first.txt'),
  ]).toEqual(['# Sample\n', "console.log('hello');\n", [false, false], 'first']);

  server.script(say('three done'));
  await ask('prompt three', '--continue');
  const sent = server.requests.at(-1)?.raw ?? '';
  expect([sent.includes('prompt one'), sent.includes('prompt two'), sent.includes('prompt three')]).toEqual([
    true,
    false,
    true,
  ]);

  expect((await ask('/rewind undo', '--continue')).stdout).toContain('Put back 4 files');
  expect([
    await repo.read('README.md'),
    readFileSync(join(repo.path, 'child.txt'), 'utf8'),
    existsSync(join(repo.path, 'src/main.ts')),
  ]).toEqual(['# Sample\nbash\nchild\n', 'c\n', false]);
  expect(server.violations).toEqual([]);
});

test('a read-only turn costs nothing, and what a person wrote is left alone', async () => {
  await using server = await modelServer([
    bash('cat README.md; ls'),
    say('looked'),
    use('Write', { file_path: 'mine.txt', content: 'agent' }),
    say('wrote'),
  ]);
  await using repo = await tempRepo({ server });
  await runCoppice(repo, ['-p', 'look', ...MAY]);
  expect(await repo.git('--version')).toContain('git');
  const found = await import('node:fs').then(({ readdirSync }) =>
    readdirSync(repo.state, { recursive: true }).map(String),
  );
  expect(found.filter((path) => path.includes('checkpoints'))).toEqual([]);
  await runCoppice(repo, ['-p', 'write', '--continue', ...MAY]);
  await repo.write('mine.txt', 'a person');
  const back = await runCoppice(repo, ['-p', '/rewind 2 code', '--continue', ...MAY]);
  expect(back.stdout).toContain('Left alone');
  expect(await repo.read('mine.txt')).toBe('a person');
});

test('what the last command left is recorded before the program ends, however slow git is', async () => {
  await using server = await modelServer([bash('echo changed > README.md'), say('done')]);
  await using repo = await tempRepo({ server });
  const env = shimGit(repo, 'case " $* " in *" diff-files "*) sleep 1.5;; esac\nexec "$GIT" "$@"');
  await runCoppice({ path: repo.path, env }, ['-p', 'change it', ...MAY]);
  const back = await runCoppice(repo, ['-p', '/rewind 1 code', '--continue', ...MAY]);
  expect(back.stdout).toContain('Put back 1 file');
  expect(await repo.read('README.md')).toBe('# Sample\n');
});
