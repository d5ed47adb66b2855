/** Between check and use: a link that changes all the time leads no file tool to what was not allowed. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { reply, say, use } from '../support/replies.ts';
import { type Scene, scene } from '../support/scene.ts';

const SECRET = 'SECRET-beyond';
const CALLS = 40;
/** Puts a link to the one and to the other in turn in one place, each time by a rename. */
const SWAP = `const { symlinkSync, renameSync, unlinkSync } = require('fs');
const [link, ...targets] = process.argv.slice(1);
for (let turn = 0; ; turn++) {
  const next = link + '.next';
  try { unlinkSync(next); } catch {}
  symlinkSync(targets[turn % targets.length], next);
  renameSync(next, link);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 3);
}`;

const running: { kill(signal: NodeJS.Signals): boolean }[] = [];
afterEach(() => {
  for (const one of running.splice(0)) one.kill('SIGKILL');
});
const swap = (link: string, ...targets: string[]): void => {
  running.push(spawn(process.execPath, ['-e', SWAP, link, ...targets], { stdio: 'ignore' }));
};
const swapping = async (on: Scene): Promise<{ readonly beyond: string }> => {
  const beyond = join(on.repo.root, 'beyond');
  await on.repo.write(join(beyond, 'note.txt'), `${SECRET}\n`);
  await on.repo.write('inside/note.txt', 'harmless\n');
  swap(join(on.repo.path, 'way'), join(on.repo.path, 'inside'), beyond);
  return { beyond };
};

it('Read never shows what lies beyond', async () => {
  await using on = await scene([
    ...Array.from({ length: CALLS }, () => reply(use('Read', { file_path: 'way/note.txt' }))),
    say('done'),
  ]);
  await swapping(on);
  await on.ask('go');
  const told = on.server.requests.flatMap(({ results }) => results.map(({ text }) => text));
  expect(told).toHaveLength(CALLS);
  expect(told.filter((text) => text.includes(SECRET))).toEqual([]);
});

it('Write and Edit never change what lies beyond', async () => {
  await using on = await scene([
    ...Array.from({ length: CALLS }, (_, at) =>
      at % 2 === 0
        ? reply(use('Write', { file_path: `way/new-${at}.txt`, content: 'x' }))
        : reply([
            use('Read', { file_path: 'way/note.txt' }),
            use('Edit', { file_path: 'way/note.txt', old_string: 'm', new_string: 'M' }),
          ]),
    ),
    say('done'),
  ]);
  const { beyond } = await swapping(on);
  await on.ask('go', '--permission-mode', 'acceptEdits');
  expect(readFileSync(join(beyond, 'note.txt'), 'utf8')).toBe(`${SECRET}\n`);
  for (let at = 0; at < CALLS; at += 2) expect(existsSync(join(beyond, `new-${at}.txt`))).toBe(false);
});
