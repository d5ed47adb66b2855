/** Going from one conversation to another, with a person who types and leaves meanwhile. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { say } from '../support/replies.ts';
import { type Scene, scene, until } from '../support/scene.ts';

/** A conversation whose end takes until a file is there; each end is written down. */
const slowToEnd = async (...script: NonNullable<Parameters<typeof scene>[0]>) => {
  const on = await scene(script);
  const command = 'cat >> ended.jsonl; echo >> ended.jsonl; while [ ! -e go ]; do sleep 0.05; done';
  const hooks = { SessionEnd: [{ hooks: [{ type: 'command', command, timeout: 30 }] }] };
  await on.repo.write('.claude/settings.json', JSON.stringify({ hooks }));
  return on;
};
const endsOf = ({ repo }: Scene) => {
  const file = join(repo.path, 'ended.jsonl');
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { readonly reason: string; readonly session_id: string })
    : [];
};
const ending = (on: Scene) => until('the end of the first conversation', () => endsOf(on).length > 0);

test('what is typed while /clear closes the conversation is said in the new one, commands too', async () => {
  await using on = await slowToEnd(say('answer one'), say('answer two'));
  await using screen = await on.screen();
  screen.type('prompt one\r');
  await screen.waitFor('answer one');
  screen.type('/clear\r');
  await ending(on);
  screen.type('prompt two\r');
  screen.type('/rename a new name\r');
  await on.repo.write('go', '');
  await screen.waitFor('answer two');
  expect(on.sent(-1)).toContain('prompt two');
  expect(on.sent(-1)).not.toContain('prompt one');
  screen.kill('SIGTERM');
  await screen.exit();
  const ends = endsOf(on);
  expect(ends.map(({ reason }) => reason)).toEqual(['clear', 'other']);
  const named = on.transcripts().filter((path) => readFileSync(path, 'utf8').includes('"a new name"'));
  expect(named).toEqual([expect.stringContaining(ends[1]?.session_id ?? 'nobody')]);
  expect(await on.breaches({ kept: ['prompt one', 'answer one', 'prompt two', 'answer two'] })).toEqual([]);
});

test('whoever leaves while /clear runs leaves both conversations closed, each once', async () => {
  await using on = await slowToEnd(say('answer one'));
  await using screen = await on.screen();
  screen.type('prompt one\r');
  await screen.waitFor('answer one');
  screen.type('/clear\r');
  await ending(on);
  screen.kill('SIGTERM');
  await on.repo.write('go', '');
  expect((await screen.exit()).code).toBe(143);
  const ends = endsOf(on);
  expect(ends.map(({ reason }) => reason)).toEqual(['clear', 'other']);
  expect(new Set(ends.map(({ session_id }) => session_id)).size).toBe(2);
  expect(await on.breaches({ kept: ['prompt one', 'answer one'] })).toEqual([]);
});

test('commands that wait behind /clear run after it', async () => {
  let letGo: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const slow = async () => {
    await gate;
    return say('answer one');
  };
  await using on = await scene([slow]);
  await using screen = await on.screen();
  screen.type('prompt one\r');
  await on.server.waitForRequests(1);
  screen.type('/clear\r');
  screen.type('/permissions\r');
  await screen.waitFor('/permissions');
  letGo();
  await screen.waitFor(/allow/);
  screen.kill('SIGTERM');
  await screen.exit();
});
