/** The list of earlier conversations: titles, a look inside, search, reach, names and deletion. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { say } from '../support/replies.ts';
import { jsonLines } from '../support/run-binary.ts';
import { entriesOf, resultOf, type Scene, scene } from '../support/scene.ts';

/** Conversations with a first question each, oldest first; of this folder unless said otherwise. */
const held = async (on: Scene, ...questions: readonly (string | readonly [string, string])[]) => {
  for (const one of questions) {
    const [question, cwd] = typeof one === 'string' ? [one, on.repo.path] : one;
    on.server.script(say(`the answer to ${question}`));
    expect((await on.run(['-p', question], { cwd })).code).toBe(0);
  }
};

test('shows title, age, branch and size, is searched by typing, and goes on with what is chosen', async () => {
  await using on = await scene();
  await held(on, 'Could you please mend the roof? It leaks.', 'paint the door');
  await using screen = await on.screen(['--resume']);
  await screen.waitFor(/❯ Paint the door +just now · main · \d messages · [\d.]+kB/);
  await screen.waitFor('the answer to paint the door');
  screen.type('roof');
  await screen.waitUntilGone('Paint the door');
  await screen.waitFor('❯ Mend the roof?');
  screen.key('enter');
  await screen.waitFor('the answer to Could you please mend the roof?');
  on.server.script(say('third answer'));
  screen.type('go on\r');
  await screen.waitFor('third answer');
  expect(on.sent(-1)).toContain('mend the roof? It leaks.');
  screen.type('/exit\r');
  const exit = await screen.exit();
  expect(await on.breaches({ kept: ['go on', 'third answer'], terminal: { raw: screen.raw, exit } })).toEqual(
    [],
  );
});

test('a conversation is looked into with space, renamed, found by its name, and deleted after a yes', async () => {
  await using on = await scene();
  await held(on, 'mend the roof', 'paint the door');
  await using screen = await on.screen(['--resume']);
  await screen.waitFor('❯ Paint the door');
  screen.key('down');
  screen.key('space');
  await screen.waitFor('q leave');
  await screen.waitFor('the answer to mend the roof');
  screen.key('q');
  await screen.waitUntilGone('q leave');
  screen.key('ctrl+r');
  await screen.waitFor('── Title');
  screen.key('ctrl+u');
  screen.type('Roof works\r');
  await screen.waitFor('❯ Roof works');
  screen.key('ctrl+d');
  await screen.waitFor('Delete "Roof works" for good?');
  screen.key('enter');
  await screen.waitFor('❯ Roof works');
  screen.key('up');
  await screen.waitFor('❯ Paint the door');
  screen.key('ctrl+d');
  await screen.waitFor('Delete "Paint the door" for good?');
  screen.key('2');
  await screen.waitFor('❯ Roof works');
  expect(screen.screen().join('\n')).not.toContain('Paint the door');
  screen.key('esc');
  screen.kill('SIGTERM');
  await screen.exit();
  on.server.script(say('on we go'));
  expect((await on.ask('and the gutter?', '--resume', 'roof works')).stdout).toBe('on we go\n');
  expect(on.sent(-1)).toContain('mend the roof');
  const [transcript = ''] = on.transcripts();
  expect(on.transcripts()).toHaveLength(1);
  const titles = entriesOf(transcript).filter(({ type }) => type === 'summary' || type === 'custom-title');
  expect(titles.map(({ summary, customTitle }) => summary ?? customTitle)).toEqual([
    'Mend the roof',
    'Roof works',
  ]);
});

test('other worktrees, other folders and other branches come and go with a key', async () => {
  await using on = await scene();
  const [tree, other] = [join(on.repo.root, 'tree'), join(on.repo.root, 'other')];
  await on.repo.git('worktree', 'add', '--quiet', tree, '-b', 'side');
  mkdirSync(other);
  execFileSync('git', ['init', '--quiet'], { cwd: other, env: on.repo.env });
  await held(on, 'asked here', ['asked in the tree', tree], ['asked elsewhere', other]);
  await on.repo.git('checkout', '--quiet', '-b', 'later');
  await held(on, 'asked later');
  await using screen = await on.screen(['--resume']);
  const listed = () =>
    screen
      .screen()
      .flatMap((row) => /(?:❯ | {2})(Asked [a-z ]+?) {2,}/.exec(row)?.[1] ?? [])
      .toSorted();
  const lists = (...names: readonly string[]) =>
    screen.waitFor(() => listed().join() === names.toSorted().join());
  await screen.waitFor('── Conversations ─');
  await lists('Asked here', 'Asked later');
  screen.key('ctrl+w');
  await screen.waitFor('── Conversations of all worktrees ─');
  await lists('Asked here', 'Asked later', 'Asked in the tree');
  await screen.waitFor(/Asked in the tree .* tree · side ·/);
  screen.key('ctrl+a');
  await screen.waitFor('── Conversations of all folders ─');
  await lists('Asked here', 'Asked later', 'Asked in the tree', 'Asked elsewhere');
  screen.key('ctrl+b');
  await screen.waitFor('── Conversations of all folders on later ─');
  await lists('Asked later');
  screen.key('ctrl+b');
  screen.key('ctrl+a');
  await screen.waitFor('── Conversations ─');
  await lists('Asked here', 'Asked later');
  screen.kill('SIGTERM');
  await screen.exit();
});

test('goes on in its mode, with its model, where it was; what this run names wins; plan mode ends with its run', async () => {
  await using on = await scene(Array.from({ length: 9 }, (_, at) => say(`answer ${at}`)));
  const below = join(on.repo.path, 'src');
  const begun = async (mode: string): Promise<string> => {
    const ran = await on.run(
      ['-p', 'one', '--permission-mode', mode, '--model', 'small', '--output-format', 'json'],
      { cwd: below },
    );
    return String(resultOf(ran).session_id);
  };
  const resumed = async (id: string, ...flags: string[]) => {
    const ran = await on.ask('two', '--resume', id, '--output-format', 'stream-json', '--verbose', ...flags);
    const { permissionMode, model, cwd } = jsonLines(ran.stdout)[0] ?? {};
    return [permissionMode, model, cwd];
  };
  const edits = await begun('acceptEdits');
  expect(await resumed(edits)).toEqual(['acceptEdits', 'claude-haiku-5-5', below]);
  expect(await resumed(edits, '--permission-mode', 'default', '--model', 'large')).toEqual([
    'default',
    'claude-opus-5-5',
    below,
  ]);
  expect(await resumed(edits)).toEqual(['default', 'claude-opus-5-5', below]);
  expect(await resumed(await begun('dontAsk'))).toEqual(['dontAsk', 'claude-haiku-5-5', below]);
  expect(await resumed(await begun('plan'))).toEqual(['default', 'claude-haiku-5-5', below]);
  expect(on.server.requests.at(1)?.body.model).toBe('claude-haiku-5-5');
});
