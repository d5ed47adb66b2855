import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import { say } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';

const CODING = 'You are Coppice, a coding assistant';
const GIT = '# Commits and pull requests';

test.each([
  ['nothing set', {}, [CODING, GIT], ['# Output style']],
  ['a built-in style', { outputStyle: 'concise' }, [CODING, '# Output style: Concise'], []],
  [
    'a style of the project in the place of ours',
    { outputStyle: 'Pirate' },
    ['Talk like a pirate.', '# Care', '# Tools'],
    [CODING, GIT, '# How to work'],
  ],
  ['a language', { language: 'German' }, [CODING, 'Answer in German.'], []],
  ['no words on git', { includeGitInstructions: false }, [CODING], [GIT]],
  [
    'a mark for commits',
    { attribution: { commit: 'Helped-by: Coppice' } },
    ['word for word:\nHelped-by: Coppice'],
    [],
  ],
  ['a style that is not there', { outputStyle: 'Bard' }, [CODING], []],
])('the system prompt with %s', async (_, settings, there, absent) => {
  await using server = await modelServer();
  await using place = await tempRepo({ server });
  await place.write('.coppice/output-styles/pirate.md', '---\nname: Pirate\n---\nTalk like a pirate.\n');
  server.script(say('done'));
  const ran = await runCoppice(place, ['-p', 'go', '--settings', JSON.stringify(settings)]);
  expect(ran.code).toBe(0);
  const system = server.requests[0]?.system ?? '';
  for (const text of there) expect(system).toContain(text);
  for (const text of absent) expect(system).not.toContain(text);
  if ('outputStyle' in settings && settings.outputStyle === 'Bard')
    expect(ran.stderr).toMatch(
      /There is no output style "Bard".*Default, Concise, Explanatory, Learning, Pirate/,
    );
});

test.each([
  ['the person, of a style of ours', 'Concise', undefined, 'project'],
  ['the person, of a style of their own', 'Mine', undefined, 'project'],
  ['the project', undefined, 'Concise', undefined],
])("a project's file slips in for no style that was chosen by %s", async (_, mine, theirs, absent) => {
  await using server = await modelServer([say('done')]);
  await using place = await tempRepo({ server });
  for (const name of ['Concise', 'Mine'])
    await place.write(
      `.coppice/output-styles/${name}.md`,
      `---\nname: ${name}\n---\nWords of the project.\n`,
    );
  await place.write(
    join(place.state, 'output-styles/mine.md'),
    '---\nname: Mine\n---\nWords of the person.\n',
  );
  await place.write(join(place.state, 'settings.json'), JSON.stringify({ outputStyle: mine }));
  await place.write('.coppice/settings.json', JSON.stringify({ outputStyle: theirs }));
  await runCoppice(place, ['-p', 'go', '--trust']);
  const system = server.requests[0]?.system ?? '';
  expect(system.includes('Words of the project.')).toBe(absent === undefined);
  expect(system.includes('Words of the person.')).toBe(mine === 'Mine');
});

test('a style that a project takes from elsewhere by a link is not read', async () => {
  await using server = await modelServer([say('done')]);
  await using place = await tempRepo({ server });
  await place.write(join(place.home, 'private.md'), 'Words nobody may send.\n');
  await place.write('.coppice/output-styles/x.md', 'Plain.\n');
  symlinkSync(join(place.home, 'private.md'), join(place.path, '.coppice/output-styles/private.md'));
  const ran = await runCoppice(place, ['-p', 'go', '--settings', '{"outputStyle":"private"}']);
  expect(ran.stderr).toContain('There is no output style "private"');
  expect(server.requests[0]?.raw).not.toContain('Words nobody may send.');
});
