import { afterAll, beforeAll, expect, test } from 'vitest';
import { FAKE_KEY, type TempRepo, tempRepo } from '../support/repo.ts';
import { jsonLines, runCoppice, startCoppice } from '../support/run-binary.ts';

let place: TempRepo;
beforeAll(async () => {
  place = await tempRepo({
    server: { url: 'http://127.0.0.1:9' },
    files: { 'a/b.txt': 'deep\n' },
    env: { EXTRA: 'yes', LANG: undefined },
  });
});
afterAll(() => place.dispose());

const node = (script: string) => ({ command: [process.execPath, '-e', script] as const });

test('the repository has two commits and nothing uncommitted', async () => {
  expect((await place.git('log', '--format=%s')).split('\n')).toEqual(['Say hello', 'Begin']);
  expect([await place.git('status', '--porcelain'), await place.read('a/b.txt')]).toEqual(['', 'deep\n']);
});

test('the environment holds what was asked for and nothing of ours', async () => {
  const { stdout } = await runCoppice(place, [], node('console.log(JSON.stringify(process.env))'));
  const [env] = jsonLines(stdout);
  expect(env).toMatchObject({
    HOME: place.home,
    EXTRA: 'yes',
    RUN_TAG: place.tag,
    ANTHROPIC_API_KEY: FAKE_KEY,
  });
  expect(Object.keys(env ?? {}).filter((name) => /^(LANG|VITEST|CI|COPPICE_.*)$/.test(name))).toEqual([]);
});

test('input, both outputs and the exit code go through', async () => {
  const script =
    'process.stdin.on("data", (d) => { console.log("got " + d); console.error("err"); process.exitCode = 4 })';
  expect(await runCoppice(place, [], { ...node(script), stdin: 'grüße' })).toEqual({
    stdout: 'got grüße\n',
    stderr: 'err\n',
    code: 4,
    signal: null,
  });
});

test('a started program can be awaited and killed', async () => {
  await using running = startCoppice(place, [], node('console.log("up"); setInterval(() => {}, 1000)'));
  await running.waitFor('up');
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: null, signal: 'SIGTERM' });
  await expect(running.waitFor('more')).rejects.toThrow('more did not appear: the program has ended');
});

test('a run that takes too long is killed and says what it wrote', async () => {
  const endless = { ...node('console.log("begun"); setInterval(() => {}, 1000)'), timeout: 500 };
  await expect(runCoppice(place, ['a'], endless)).rejects.toThrow(/a did not end within 500 ms/);
});
