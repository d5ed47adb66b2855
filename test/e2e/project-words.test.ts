/** What files of a project may bring to the model unasked: their own words, and what Read may read unasked. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { say, use } from '../support/replies.ts';
import { scene } from '../support/scene.ts';

const SECRET = 'the-word-nobody-may-send';
const skill = (body: string) => `---\nname: s\ndescription: Is a skill.\n---\n${body}\n`;
const call = use('SkillTool', { skill: 's' });

test.each([[['--trust']], [[]]])(
  'a skill of a project attaches its own files, and no others (%j)',
  async (flags) => {
    await using on = await scene([call, say('done')], {
      files: {
        '.coppice/skills/s/SKILL.md': skill(
          'Look at @notes.md, @~/private.txt, @.coppice/link.txt and @../beside.txt',
        ),
        'notes.md': 'the-word-of-the-project\n',
      },
    });
    await on.repo.write(join(on.repo.home, 'private.txt'), SECRET);
    await on.repo.write(join(on.repo.root, 'beside.txt'), SECRET);
    symlinkSync(join(on.repo.home, 'private.txt'), join(on.repo.path, '.coppice/link.txt'));
    await on.ask('go', ...flags);
    const sent = on.server.requests.map(({ raw }) => raw).join('\n');
    expect(sent).toContain('the-word-of-the-project');
    expect(sent.match(/Not attached: /g)).toHaveLength(3);
    expect(sent).not.toContain(SECRET);
  },
);

test("a person's own skill attaches what it names", async () => {
  await using on = await scene([call, say('done')]);
  await on.repo.write(join(on.repo.state, 'skills/s/SKILL.md'), skill('Look at @~/mine.txt'));
  await on.repo.write(join(on.repo.home, 'mine.txt'), 'the-word-of-the-person');
  await on.ask('go');
  expect(on.server.requests.at(-1)?.raw).toContain('the-word-of-the-person');
});

test('definitions that a project takes from elsewhere by a link are not seen before trust, and named at it', async () => {
  await using on = await scene([say('done'), say('done')]);
  const elsewhere = join(on.repo.root, 'elsewhere');
  await on.repo.write(join(elsewhere, 's/SKILL.md'), `${SECRET} is the first paragraph.\n`);
  mkdirSync(join(on.repo.path, '.coppice/agents'), { recursive: true });
  symlinkSync(elsewhere, join(on.repo.path, '.coppice/skills'));
  symlinkSync(join(elsewhere, 's/SKILL.md'), join(on.repo.path, '.coppice/agents/a.md'));
  await on.ask('go');
  expect(on.server.requests.map(({ raw }) => raw).join('\n')).not.toContain(SECRET);
  const { stdout } = await on.run(['trust']);
  expect(stdout).toContain(`.coppice/skills/s/SKILL.md leads out of its folder, to ${elsewhere}/s/SKILL.md`);
  expect(stdout).toContain('.coppice/agents/a.md leads out of its folder');
  await on.ask('go');
  expect(on.server.requests.at(-1)?.raw).toContain(SECRET);
});

const keeper = {
  '.coppice/agents/keeper.md':
    '---\nname: keeper\ndescription: Is keeper.\nmemory: project\n---\nYou are keeper.\n',
};
const start = use('AgentTool', { prompt: 'Do it.', description: 'Do it now', subagent_type: 'keeper' });

test.each(['a link', 'a pipe'])('the memory of a project agent is not read through %s', async (kind) => {
  await using on = await scene([start, say('kept'), say('done')], { files: keeper });
  const file = join(on.repo.path, '.coppice/agent-memory/keeper/MEMORY.md');
  await on.repo.write(`${file}.x`, '');
  if (kind === 'a pipe') execFileSync('mkfifo', [file]);
  else {
    await on.repo.write(join(on.repo.home, 'private.txt'), SECRET);
    symlinkSync(join(on.repo.home, 'private.txt'), file);
  }
  await on.ask('go', '--trust');
  const child = on.server.requests.find(({ system }) => system.includes('You are keeper.'));
  expect(child?.system).toContain('It is empty so far.');
  expect(on.server.requests.map(({ raw }) => raw).join('\n')).not.toContain(SECRET);
});
