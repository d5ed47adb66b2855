/** The skills that come along, each run once on a repository with work in it, doing what its text tells the model to do. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Received } from '../support/received.ts';
import { say, use } from '../support/replies.ts';
import { type Scene, scene } from '../support/scene.ts';

const bash = (command: string) => use('Bash', { command });

/** One commit behind, one on a branch, changes in the tree and a new file. */
const atWork = async (script: Parameters<typeof scene>[0] = []): Promise<Scene> => {
  const on = await scene(script, {
    files: { 'src/sum.js': 'export const sum = (a, b) => a - b;\n', 'package.json': '{"type":"module"}\n' },
  });
  await on.repo.git('switch', '--quiet', '-c', 'topic');
  await on.repo.write('src/sum.js', 'export const sum = (a, b) => a + b;\n');
  await on.repo.write(
    'sum.test.js',
    "import { test } from 'node:test';\nimport { sum } from './src/sum.js';\ntest('adds', () => { if (sum(1, 2) !== 4) throw new Error('no four'); });\n",
  );
  return on;
};

const text = (request: Received | undefined): string => JSON.stringify(request?.body.messages ?? []);
const failed = (on: Scene) =>
  on.server.requests.flatMap(({ results }) => results.filter(({ error }) => error));

/** What is left of a text that was not filled in. */
const unfilled = /(?<!\\)\$(?:ARGUMENTS|\d)|\$\{(?:COPPICE|CLAUDE)_/;

test.each([
  ['commit', '# Commit', 'What the user adds: these words'],
  ['create-skill', '# Create a skill', 'For: these words'],
  ['explain-failing-test', '# Explain a failing test', 'The test: these words'],
  ['simplify', '# Simplify', 'without changing what it does: these words'],
  ['write-plan', '# Write a plan', 'For: these words'],
])('/%s brings its text with the words that were typed', async (name, title, filled) => {
  await using on = await atWork([say('Understood.')]);
  expect(await on.ask(`/${name} these words`)).toMatchObject({ code: 0, stdout: 'Understood.\n' });
  const { prompt = '' } = on.server.requests[0] ?? {};
  expect(prompt).toContain(title);
  expect(prompt).toContain(filled);
  if (name !== 'create-skill') expect(prompt).not.toMatch(unfilled);
});

test.each(['review', 'security-review'])(
  '/%s works in a reviewer of its own and answers with its result',
  async (name) => {
    await using on = await atWork([say('Passed on.')]);
    on.server.lane(
      /You review changes for Coppice/,
      [
        bash('git status --short'),
        bash('git diff HEAD'),
        bash('git merge-base HEAD main'),
        bash('git log -3 --stat'),
      ],
      say('One finding: sum.test.js:3 expects four.'),
    );
    const ran = await on.ask(`/${name} the sum`);
    expect(ran.code).toBe(0);
    const reviewer = on.server.requests.filter(({ system }) => system.includes('You review changes'));
    expect(reviewer[0]?.prompt).toContain('the sum');
    expect(reviewer[0]?.prompt).not.toMatch(unfilled);
    expect(failed(on)).toEqual([]);
    expect(text(reviewer[1])).toContain('a + b');
    expect(`${ran.stdout}${text(on.server.requests.at(-1))}`).toContain('One finding: sum.test.js:3');
  },
);

test('the model may start five of them, and each launch names the skill; two are for the user alone', async () => {
  const names = [
    'commit',
    'create-skill',
    'explain-failing-test',
    'review',
    'write-plan',
    'security-review',
    'simplify',
  ];
  await using on = await atWork([
    ...names.map((skill) => use('SkillTool', { skill: `/${skill}` })),
    say('done'),
  ]);
  on.server.always(/You review changes/, say('Reviewed.'));
  expect((await on.ask('go')).stdout).toBe('done\n');
  const answers = on.server.requests
    .filter(({ system }) => !system.includes('You review changes'))
    .slice(1)
    .map(({ results }) => results[0]?.text ?? '');
  expect(answers[3]).toMatch(/^Reviewed\./);
  for (const at of [0, 1, 2, 4]) expect(answers[at]).toBe(`Launching skill: ${names[at]}`);
  for (const at of [5, 6]) expect(answers[at]).toContain(`ask them to type /${names[at]}`);
});

test('/commit may look, stage and commit without a question, and pushes nothing', async () => {
  await using on = await atWork([
    ['git status --short --branch', 'git diff HEAD --stat', 'git diff HEAD', 'git log -10 --oneline'].map(
      bash,
    ),
    bash('git add -- src/sum.js && git commit -F - <<\'EOF\'\nMake sum add\n\nIt subtracted: "a - b".\nEOF'),
    bash('git log --stat -1'),
    bash('git push origin topic'),
    say('Committed.'),
  ]);
  expect((await on.ask('/commit')).stdout).toBe('Committed.\n');
  expect(failed(on).map(({ text: words }) => words)).toEqual([expect.stringContaining('Nobody is there')]);
  expect(await on.repo.git('log', '-1', '--format=%B')).toBe('Make sum add\n\nIt subtracted: "a - b".\n');
  expect(await on.repo.git('status', '--short')).toBe('?? sum.test.js');
});

test('/create-skill leads to a skill that is listed without repairs and runs', async () => {
  const file = '.coppice/skills/greet-people/SKILL.md';
  const content =
    '---\nname: greet-people\ndescription: Greets somebody by name. Use when the user wants to greet.\nallowed-tools: Bash(echo *)\nmetadata:\n  coppice-argument-hint: "[name]"\n---\n\nSay hello to $0. Their list is @names.txt and today is !`echo a fine day`.\n';
  await using on = await atWork([
    use('Write', { file_path: file, content }),
    say('It lies there.'),
    say('Hello!'),
  ]);
  await on.repo.write('names.txt', 'Ada\n');
  // What writes there asks a person in every other mode.
  await on.run(['-p', '/create-skill greeting people', '--trust', '--permission-mode', 'bypassPermissions'], {
    env: { COPPICE_SANDBOXED: '1' },
  });
  const listed = await on.run(['--trust', 'skills', 'list', '--json']);
  expect(
    JSON.parse(listed.stdout).find(({ name }: { readonly name: string }) => name === 'greet-people'),
  ).toMatchObject({ repairs: [], problems: [], path: join(on.repo.path, file) });
  await on.ask('/greet-people Ada', '--trust');
  const { prompt = '' } = on.server.requests.at(-1) ?? {};
  expect(prompt).toContain('Say hello to Ada.');
  expect(prompt).toContain('today is a fine day');
  expect(text(on.server.requests.at(-1))).toContain('names.txt');
});

test('/explain-failing-test finds the cause by running it, and changes nothing', async () => {
  await using on = await atWork([
    bash('node --test sum.test.js'),
    bash('git diff HEAD -- src/sum.js'),
    say('The test claims four.'),
  ]);
  const before = await on.repo.git('status', '--short');
  const ran = await on.ask(
    '/explain-failing-test sum.test.js',
    '--allowed-tools',
    'Bash(node --test *)',
    '--trust',
  );
  expect(ran).toMatchObject({ code: 0, stdout: 'The test claims four.\n' });
  expect(text(on.server.requests[1])).toContain('no four');
  expect(on.server.requests[2]?.results[0]).toMatchObject({ error: false });
  expect(await on.repo.git('status', '--short')).toBe(before);
});
