/** Code that V8 compiled is kept from one run to the next (src/app/kept-code.ts). */
import {
  chmodSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { say } from '../support/replies.ts';
import { type Scene, scene } from '../support/scene.ts';

const HOUR_MS = 3600_000;

/** A prompt with an empty cache home: what is kept there afterwards. */
const asked = async (on: Scene): Promise<{ readonly kept: readonly string[]; ask(): Promise<string> }> => {
  const cache = join(on.repo.home, 'cache');
  const ask = async (): Promise<string> => {
    const ran = await on.run(['-p', 'hello'], { env: { XDG_CACHE_HOME: cache } });
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    return ran.stdout;
  };
  await ask();
  return { kept: globSync(join(cache, 'coppice', 'compiled', '*', 'code-*')), ask };
};

const said = ['one', 'two', 'three', 'four'].map(say);

test('the code of a first run is taken by the next one as it is', async () => {
  await using on = await scene(said);
  const { kept, ask } = await asked(on);
  expect(kept.map((path) => basename(path))).toEqual([expect.stringMatching(/^code-print-main-\w+\.cjs$/)]);
  const [path = ''] = kept;
  const before = statSync(path);
  expect(before.mode & 0o777).toBe(0o600);
  expect(await ask()).toBe('two\n');
  const { ino, mtimeMs } = statSync(path);
  expect({ ino, mtimeMs }).toEqual({ ino: before.ino, mtimeMs: before.mtimeMs });
});

test('code that V8 does not take is written anew, and the run goes on', async () => {
  await using on = await scene(said);
  const { kept, ask } = await asked(on);
  const [path = ''] = kept;
  const whole = readFileSync(path);
  for (const broken of [Buffer.alloc(0), Buffer.from('no code'), Buffer.alloc(whole.length)]) {
    writeFileSync(path, broken);
    await ask();
    expect(statSync(path).size).toBeGreaterThan(whole.length / 2);
  }
});

test('a place that cannot be looked at costs the code that is kept, not the run', async () => {
  await using on = await scene(said);
  const { kept, ask } = await asked(on);
  const [path = ''] = kept;
  rmSync(path);
  symlinkSync(basename(path), path);
  expect(await ask()).toBe('two\n');
});

test('old code is compared with what the run used, and that of many builds is cleared away', async () => {
  await using on = await scene(said);
  const { kept, ask } = await asked(on);
  const [path = ''] = kept;
  const long = new Date(Date.now() - 2 * HOUR_MS);
  writeFileSync(path, '');
  for (let build = 0; build < 9; build++) {
    const other = join(dirname(path), `code-print-main-${build}.cjs`);
    writeFileSync(other, '');
    utimesSync(other, long, long);
  }
  await ask();
  expect(globSync(join(dirname(path), 'code-*'))).toHaveLength(6);
  utimesSync(path, long, long);
  await ask();
  expect(Date.now() - statSync(path).mtimeMs).toBeLessThan(HOUR_MS);
});

test('what commands need is kept apart from what prompts need', async () => {
  await using on = await scene(said);
  const cache = join(on.repo.home, 'cache');
  const env = { XDG_CACHE_HOME: cache };
  const first = await on.run(['--help'], { env });
  const second = await on.run(['--help'], { env });
  await on.run(['-p', 'hello'], { env });
  const kept = globSync(join(cache, 'coppice', 'compiled', '*', 'code-*')).map(
    (path) => basename(path).split('-')[1],
  );
  expect(kept.sort()).toEqual(['command', 'print']);
  expect(second).toEqual(first);
});

test('where nothing can be kept, the program runs', async () => {
  await using on = await scene(said);
  const cache = join(on.repo.home, 'cache');
  mkdirSync(join(cache, 'full'), { recursive: true });
  writeFileSync(join(cache, 'full', 'coppice'), '');
  const ran = await on.run(['-p', 'hello'], { env: { XDG_CACHE_HOME: join(cache, 'full') } });
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, 'one\n', '']);
});

test('kept code that somebody else can write is left alone, and written anew', async () => {
  await using on = await scene(said);
  const { kept, ask } = await asked(on);
  const [path = ''] = kept;
  const long = new Date(Date.now() - 2 * HOUR_MS);
  chmodSync(path, 0o666);
  utimesSync(path, long, long);
  await ask();
  const { mode, mtimeMs } = statSync(path);
  expect([mode & 0o777, mtimeMs > long.getTime() + HOUR_MS]).toEqual([0o600, true]);
});
