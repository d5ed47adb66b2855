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
    ['Talk like a pirate.'],
    [CODING, GIT],
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
      /There is no output style "Bard".*Default, Pirate, Concise, Explanatory, Learning/,
    );
});
