import { expect, test } from 'vitest';
import { slashOf } from '../../src/app/builtin-commands.ts';
import type { CommandScreen, SlashCommand } from '../../src/contract/command.ts';
import { modelServer } from '../support/model-server.ts';
import { gate, say } from '../support/replies.ts';
import { type Crew, openCrew } from './crew.ts';

const hook = (command: string) => ({ hooks: [{ type: 'command', command }] });
const HOOKED = { hooks: { SessionStart: [hook('echo hello')], Stop: [hook('true')] } };

/** Types a line in front of a screen: what is said to the person, what fails, and where it led. */
const typing = ({ house, root }: Crew, more: readonly SlashCommand[] = []) => {
  const slash = slashOf(house, { write: () => undefined, more });
  return {
    names: slash.registry.list().flatMap(({ name, aliases = [] }) => [name, ...aliases]),
    async type(line: string) {
      const [said, failed, led]: [string[], string[], string[]] = [[], [], []];
      const screen: CommandScreen = {
        interactive: true,
        print: (markdown) => void said.push(markdown),
        pick: async () => undefined,
        input: async () => undefined,
        panel: async (title, markdown) => void said.push(`${title}\n${markdown}`),
      };
      const ran = await slash.run(line, root.session, screen, {
        send: async (text) => void led.push(`send ${text}`),
        switchTo: async ({ how }) => void led.push(`switch ${how}`),
        exit: () => void led.push('exit'),
        scope: root.conversation.scope,
        failed: (text) => void failed.push(text),
      });
      return { ran, said: said.join('\n'), failed, led };
    },
  };
};

test('every command answers in a conversation in which nothing was said yet', async () => {
  await using server = await modelServer();
  await using crew = await openCrew(server, { settings: HOOKED });
  const { names, type } = typing(crew);
  expect(names).toContain('rewind');
  for (const name of names) {
    const { ran, said, failed } = await type(`/${name}`);
    expect([name, ran]).toEqual([name, true]);
    expect([name, said, failed.join()]).not.toEqual([
      name,
      expect.anything(),
      expect.stringMatching(/failed:|ENOENT/),
    ]);
  }
});

test('what nothing was said about yet can be looked back at: no prompts, and the hooks that ran', async () => {
  await using server = await modelServer();
  await using crew = await openCrew(server, { settings: HOOKED });
  const { type } = typing(crew);
  expect((await type('/rewind')).said).toBe('There is no prompt to go back to yet.');
  expect(await crew.root.session.rewind('nothing', 'drop')).toMatch(/not in this conversation/);
  await expect.poll(async () => (await type('/hooks')).said).toMatch(/SessionStart[\s\S]*ran 1 times/);
});

test('/help is a page of its own with the keys first', async () => {
  await using server = await modelServer();
  await using crew = await openCrew(server);
  const { said } = await typing(crew).type('/help');
  expect(said).toMatch(/^Help\n## Keys\n[\s\S]*Shift\+Tab[\s\S]*## Commands\n[\s\S]*`\/clear \[name\]`/);
});

test('skills that lead a line together become one prompt, each with the words behind them', async () => {
  await using server = await modelServer();
  await using crew = await openCrew(server);
  const skill = (name: string): SlashCommand => ({
    name,
    description: '',
    source: 'project',
    run: async (args) => ({ kind: 'prompt', text: `${name}(${args})` }),
  });
  const own: SlashCommand = { ...skill('own'), run: async () => ({ kind: 'text', text: 'it runs apart' }) };
  const { type } = typing(crew, [...'abcdefg'.split('').map(skill), own]);
  expect(await type('/a /own x')).toMatchObject({ said: 'it runs apart', led: ['send a(x)'] });
  expect((await type('/a /b src it')).led).toEqual(['send a(src it)\n\nb(src it)']);
  expect((await type('/a /usr/bin')).led).toEqual(['send a(/usr/bin)']);
  expect((await type('/a /cost')).led).toEqual(['send a(/cost)']);
  expect((await type('/a /b /c /d /e /f /g')).led).toEqual([
    `send ${'abcdef'
      .split('')
      .map((name) => `${name}(/g)`)
      .join('\n\n')}`,
  ]);
});

test('what a command throws is said, and the next one runs', async () => {
  await using server = await modelServer();
  await using crew = await openCrew(server);
  const broken: SlashCommand = {
    name: 'broken',
    description: '',
    source: 'builtin',
    run: () => Promise.reject(new Error('EACCES: no')),
  };
  const { type } = typing(crew, [broken]);
  expect(await type('/broken')).toMatchObject({ ran: true, failed: ['/broken failed: EACCES: no'] });
  expect(await type('/cost')).toMatchObject({ failed: [] });
  expect(await type('/brokn')).toMatchObject({ failed: [expect.stringContaining('Did you mean /broken?')] });
});

test('who waits for a typed skill in an agent of its own can stop it or let it go, and talk on', async () => {
  await using server = await modelServer();
  await using crew = await openCrew(server);
  const { session } = crew.root;
  const held = [gate(), gate()];
  server.lane(
    ({ raw }) => raw.includes('Look deep.'),
    ...held.map(({ opened }) => async () => {
      await opened;
      return say('Found it.');
    }),
  );
  server.lane(({ raw }) => raw.includes('good day'), say('Good day.'));
  server.lane(({ raw }) => raw.includes('Found it.'), say('It was found.'));
  await crew.place.write(
    '.claude/skills/deep/SKILL.md',
    '---\ndescription: Looks\ncontext: fork\n---\nLook deep.',
  );
  await crew.house.library.upToDate();
  const { type } = typing(crew);
  const stopped = type('/deep');
  await server.waitForRequests(1);
  session.interrupt();
  expect(await stopped).toMatchObject({
    failed: [expect.stringContaining('The skill deep was stopped')],
    led: [],
  });
  expect(session.onErrand()).toBe(false);
  await crew.say('good day');
  const away = type('/deep');
  await server.waitForRequests(3);
  session.background();
  expect(await away).toMatchObject({ failed: [], said: expect.stringContaining('runs in the background') });
  session.interrupt();
  held[1]?.open();
  await crew.quiet();
  await expect.poll(() => server.requests.filter(({ raw }) => raw.includes('Found it.')).length).toBe(1);
  expect(server.violations).toEqual([]);
});
