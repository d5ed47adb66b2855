import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileDrafts } from '../../src/store/draft.ts';
import { fileHistory } from '../../src/store/history.ts';
import { newSession, tempHome } from './entries.ts';

it('prompts come back newest first, each once, of one project or of all', async () => {
  await using temp = await tempHome();
  await mkdir(temp.home);
  const history = fileHistory(temp.home);
  const session = newSession();
  for (const [text, project] of [
    ['one', '/a'],
    ['two', '/b'],
    ['one', '/a'],
    ['three\nlines', '/a'],
    ['three\nlines', '/a'],
    ['  ', '/a'],
  ] as const)
    await history.add(text, { project, session });
  await appendFile(join(temp.home, 'history.jsonl'), 'rubbish\n{"display":"torn');
  await fileHistory(temp.home).add('last', { project: '/b', session });
  const texts = async (want: Parameters<typeof history.recent>[0]): Promise<readonly string[]> =>
    (await history.recent(want)).map((item) => item.text);
  expect(await texts({ limit: 10 })).toEqual(['last', 'three\nlines', 'one', 'two']);
  expect(await texts({ limit: 10, project: '/a' })).toEqual(['three\nlines', 'one']);
  expect(await texts({ limit: 1 })).toEqual(['last']);
  expect(await fileHistory(join(temp.home, 'none')).recent({ limit: 5 })).toEqual([]);
  expect((await readFile(join(temp.home, 'history.jsonl'), 'utf8')).split('\n')[0]).toMatch(
    /^\{"display":"one","timestamp":\d+,"project":"\/a","sessionId":"/,
  );
});

it('a long history with long lines is read from its end', async () => {
  await using temp = await tempHome();
  await mkdir(temp.home);
  const history = fileHistory(temp.home);
  const session = newSession();
  for (let index = 0; index < 400; index++)
    await history.add(`${index} ${'ä'.repeat(index % 7 === 0 ? 90_000 : 10)}`, { project: '/a', session });
  const recent = await history.recent({ limit: 400 });
  expect(recent.map((item) => Number.parseInt(item.text, 10))).toEqual(
    Array.from({ length: 400 }, (_, index) => 399 - index),
  );
});

it('a draft of a killed process comes back, one that is being typed does not', async () => {
  await using temp = await tempHome();
  const drafts = fileDrafts(temp.home);
  const [mine, theirs] = [newSession(), newSession()];
  drafts.save(mine, '/p', 'mine');
  const child = spawn(process.execPath, [join(import.meta.dirname, 'type-forever.ts'), temp.home, theirs], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let typed = 0;
  for await (const piece of child.stdout) {
    typed += piece.toString().length;
    if (typed > 30) break;
  }
  expect(await drafts.recover('/p')).toEqual([]);
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  const found = await drafts.recover('/p');
  expect(found).toEqual([
    { session: theirs, at: expect.any(Number), text: expect.stringMatching(/^(ä{31,}|x)$/), pictures: {} },
  ]);
  expect(await drafts.recover('/p')).toEqual([]);
  drafts.save(mine, '/p', '');
  drafts.save(mine, '/p', '');
}, 20_000);
