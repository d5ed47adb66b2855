/** What the fields of an agent's definition do, as a user's files say it (conventions 4). */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { leftovers } from '../support/processes.ts';
import type { Received } from '../support/received.ts';
import { say, use } from '../support/replies.ts';
import { scene } from '../support/scene.ts';

const agent = (name: string, head: string, body = `You are ${name}.`, home = '.coppice') => ({
  [`${home}/agents/${name}.md`]: `---\nname: ${name}\ndescription: Is ${name}.\n${head}---\n${body}\n`,
});
const start = (type: string, more: object = {}) =>
  use('AgentTool', { prompt: 'Do it.', description: 'Do it now', subagent_type: type, ...more });
const of =
  (name: string) =>
  ({ system }: Received): boolean =>
    system.includes(`You are ${name}.`);
const errors = (request: Received | undefined) =>
  (request?.results ?? []).map(({ text, error }) => (error ? text : 'ok'));

test.each([
  ['project', (root: string) => join(root, 'project/.coppice/agent-memory/keeper')],
  ['local', (root: string) => join(root, 'project/.coppice/agent-memory-local/keeper')],
  ['user', (root: string) => join(root, 'home/.coppice/agent-memory/keeper')],
])(
  'memory: %s is a folder that it keeps without being asked, and begins with the next time',
  async (memory, at) => {
    await using on = await scene([], { files: agent('keeper', `memory: ${memory}\ntools: Glob\n`) });
    const folder = at(on.repo.root);
    on.server.script(start('keeper'), say('done'), start('keeper'), say('done'));
    on.server.lane(
      of('keeper'),
      [
        use('Write', { file_path: join(folder, 'MEMORY.md'), content: 'The cellar is damp.\n' }),
        use('Write', { file_path: join(folder, 'run.sh'), content: 'x' }),
        use('Write', { file_path: join(on.repo.path, 'notes.md'), content: 'x' }),
        use('Read', { file_path: join(on.repo.path, 'README.md') }),
      ],
      say('kept'),
      say('known'),
    );
    await on.ask('go', '--trust');
    const [first, second] = on.server.requests.filter(of('keeper'));
    expect(first?.system).toContain(`${folder} is yours`);
    expect(first?.system).toContain('It is empty so far.');
    expect(first?.tools.toSorted()).toEqual(['Edit', 'Glob', 'Read', 'Write']);
    expect(errors(second)).toEqual([
      'ok',
      expect.stringContaining('may use this tool only as'),
      expect.stringContaining('may use this tool only as'),
      expect.stringContaining('may use this tool only as'),
    ]);
    expect(second?.system).toBe(first?.system);
    expect(readFileSync(join(folder, 'MEMORY.md'), 'utf8')).toBe('The cellar is damp.\n');
    await on.ask('again', '--trust');
    expect(on.server.requests.findLast(of('keeper'))?.system).toContain('MEMORY.md:\n\nThe cellar is damp.');
    if (memory === 'local') expect(await on.repo.git('status', '--porcelain')).toBe('');
  },
);

test('a folder for memory that leads elsewhere is not written to', async () => {
  await using on = await scene([start('keeper'), say('done')], {
    files: agent('keeper', 'memory: project\n'),
  });
  await on.repo.write('.coppice/agent-memory/x', '');
  const { symlinkSync, mkdirSync } = await import('node:fs');
  mkdirSync(join(on.repo.root, 'elsewhere'));
  symlinkSync(join(on.repo.root, 'elsewhere'), join(on.repo.path, '.coppice/agent-memory/keeper'));
  on.server.lane(
    of('keeper'),
    use('Write', { file_path: join(on.repo.path, '.coppice/agent-memory/keeper/MEMORY.md'), content: 'x' }),
    say('no'),
  );
  await on.ask('go', '--trust');
  expect(errors(on.server.requests.filter(of('keeper'))[1])).toEqual([
    expect.stringContaining('Nobody is there to allow this'),
  ]);
  expect(existsSync(join(on.repo.root, 'elsewhere/MEMORY.md'))).toBe(false);
});

test('--agent: its first words, turns, mode, hooks, model and effort are those of the conversation, also when it goes on', async () => {
  const head = [
    'initialPrompt: Read the house rules.',
    'model: small',
    'effort: low',
    'permissionMode: plan',
    'hooks:',
    '  Stop:',
    '    - hooks:',
    '        - type: command',
    '          command: echo stopped >> ../stops',
    '',
  ].join('\n');
  await using on = await scene([use('Bash', { command: 'touch made' }), say('first')], {
    files: agent('host', head),
  });
  const ran = await on.ask('And greet.', '--trust', '--agent', 'host', '--append-system-prompt', 'Be kind.');
  expect(ran.stdout).toBe('first\n');
  const [first, second] = on.server.requests;
  expect(first?.prompt).toMatch(/Read the house rules\.\n\nAnd greet\.$/);
  expect(first?.system).toMatch(/You are host\.[\s\S]*Be kind\./);
  expect(first?.body.model).toContain('haiku');
  expect(first?.tools).toContain('AskUserQuestion');
  expect(errors(second)).toEqual([expect.stringMatching(/plan/i)]);
  expect(existsSync(join(on.repo.path, 'made'))).toBe(false);
  expect(readFileSync(join(on.repo.root, 'stops'), 'utf8')).toBe('stopped\n');
  on.server.script(say('second'));
  await on.ask('Go on.', '--trust', '--continue');
  const third = on.server.requests.at(-1);
  expect(third?.system).toContain('You are host.');
  expect(third?.raw.split('Read the house rules.')).toHaveLength(2);
  // Without anything to say it begins with its own words.
  on.server.script(say('third'));
  await on.ask('', '--trust', '--agent', 'host');
  expect(on.server.requests.at(-1)?.prompt).toMatch(/Read the house rules\.$/);
});

const everything = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);

test('mcpServers: its own server runs as long as it does, and nobody else is offered its tools', async () => {
  const head = `tools: Read\nmcpServers:\n  - own:\n      command: ${process.execPath}\n      args: [${everything}, stdio]\n`;
  await using on = await scene([start('caller'), say('done')], { files: agent('caller', head) });
  on.server.lane(of('caller'), use('mcp__own__echo', { message: 'hello there' }), say('called'));
  const { code } = await on.ask('go', '--trust', '--allowed-tools', 'mcp__own__echo');
  expect(code).toBe(0);
  const [first, second] = on.server.requests.filter(of('caller'));
  expect(first?.tools).toEqual(expect.arrayContaining(['Read', 'mcp__own__echo']));
  expect(first?.tools).not.toContain('Bash');
  expect(second?.results[0]).toMatchObject({ error: false, text: expect.stringContaining('hello there') });
  expect(on.server.requests.filter((one) => !of('caller')(one)).flatMap(({ tools }) => tools)).not.toContain(
    'mcp__own__echo',
  );
  expect(on.server.violations).toEqual([]);
  expect(await leftovers(on.repo.tag, 3000)).toEqual([]);
});

test('hooks, skills, background, disallowedTools and maxTurns of a definition count for its agent alone', async () => {
  const head = [
    'skills: greet, mine-alone',
    'background: yes',
    'disallowedTools: Write, Edit',
    'maxTurns: 1',
    'hooks:',
    '  Stop:',
    '    - hooks:',
    '        - type: command',
    '          command: cat > ../stop.json',
    '',
  ].join('\n');
  const skill =
    '---\nname: greet\ndescription: Greets.\n---\nGreet with both hands: ${CLAUDE_SKILL_DIR}/how.md\n';
  const alone =
    '---\nname: mine-alone\ndescription: Mine.\ndisable-model-invocation: true\n---\nSecret steps.\n';
  await using on = await scene([start('worker'), say('going on'), say('heard')], {
    files: {
      ...agent('worker', head, undefined, '.claude'),
      '.coppice/skills/greet/SKILL.md': skill,
      '.coppice/skills/mine-alone/SKILL.md': alone,
    },
  });
  on.server.lane(of('worker'), [say('A beginning.'), use('Glob', { pattern: '*' })]);
  await on.ask('go', '--trust');
  const [child] = on.server.requests.filter(of('worker'));
  expect(child?.system).toContain(
    `Greet with both hands: ${join(on.repo.path, '.coppice/skills/greet')}/how.md`,
  );
  expect(child?.system).not.toContain('Secret steps.');
  expect(child?.tools).toContain('Read');
  expect(child?.tools).not.toContain('Write');
  const parents = on.server.requests.filter((one) => !of('worker')(one));
  expect(parents[1]?.results[0]?.text).toContain('runs in the background');
  expect(parents[2]?.prompt).toContain('<status>completed</status>');
  expect(parents[2]?.prompt).toMatch(/A beginning\.[\s\S]*\[parked: Reached the limit of 1 turn/);
  expect(JSON.parse(readFileSync(join(on.repo.root, 'stop.json'), 'utf8'))).toMatchObject({
    hook_event_name: 'SubagentStop',
    agent_type: 'worker',
  });
});

test('a definition that changes while a conversation runs counts from the next agent on', async () => {
  await using on = await scene([], { files: agent('tutor', '') });
  const running = on.start([
    '-p',
    '--trust',
    '--input-format',
    'stream-json',
    '--output-format',
    'stream-json',
  ]);
  const ask = (text: string) =>
    running.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: text } })}\n`);
  on.server.script(start('tutor'), say('turn 0'));
  on.server.always(of('tutor'), say('taught'));
  on.server.always(({ system }) => system.includes('You teach.'), say('taught anew'));
  ask('first');
  await running.waitFor('"result":"turn 0"');
  await on.repo.write('.coppice/agents/tutor.md', '---\nname: tutor\ndescription: Is new.\n---\nYou teach.');
  // Files are not read again at every single request: the next turns see it.
  const told = () => on.server.requests.some(({ raw }) => raw.includes('- tutor: Is new.'));
  for (let turn = 1; turn < 100 && !told(); turn += 1) {
    on.server.script(say(`turn ${turn}`));
    ask('next');
    await running.waitFor(`"result":"turn ${turn}"`);
  }
  on.server.script(start('tutor'), say('over'));
  ask('last');
  await running.waitFor('"result":"over"');
  running.endInput();
  await running.ended;
  expect(told()).toBe(true);
  expect(on.server.requests.at(-1)?.results[0]?.text).toContain('taught anew');
});
