/** Agents of a conversation: who may start, who answers to a name, who hears of whose end. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { AgentDefinition } from '../../src/contract/agent.ts';
import type { CallId, SessionId } from '../../src/contract/ids.ts';
import { modelServer } from '../support/model-server.ts';
import type { Received } from '../support/received.ts';
import { type Gate, gate, reply, say, use } from '../support/replies.ts';
import { type Crew, openCrew } from './crew.ts';

type Server = Awaited<ReturnType<typeof modelServer>>;

const isChild = ({ system }: Received): boolean => system.includes('You are the agent type');
const start = (prompt: string, more: object = {}) =>
  use('AgentTool', { prompt, description: prompt, ...more });
const write = (to: string, message: string) =>
  use('SendMessageTool', { to, message, summary: 'says what there is to do' });
const texts = (request: Received | undefined): readonly string[] =>
  (request?.results ?? []).map(({ text, error }) => (error ? `refused: ${text}` : text));
const spawned = (crew: Crew, more: object) =>
  crew.root.agents.spawn({
    prompt: 'Go',
    label: 'Go',
    type: 'general-purpose',
    parent: crew.root.session.state(),
    call: 'c1' as CallId,
    background: false,
    signal: new AbortController().signal,
    ...more,
  });
/** What the main conversation says when its script has run out. */
const afterwards = (server: Server) =>
  server.always((request) => !isChild(request) && server.remaining() === 0, say('Heard.'));
const held = (server: Server, hold: Gate) =>
  server.always(isChild, async ({ prompt }) => {
    await hold.opened;
    return say(`Did ${prompt}.`);
  });
const limited = (limits: object) => ({ settings: { limits } });

const wide: AgentDefinition = {
  name: 'general-purpose',
  description: 'g',
  prompt: 'You are the agent type wide.',
  source: 'builtin',
};

it('no more agents start than the limit, also in one reply, and a finished one frees its place', async () => {
  const hold = gate();
  await using server = await modelServer();
  held(server, hold);
  server.script(
    [1, 2, 3, 4, 5].map((n) => start(`job ${n}`, { run_in_background: true })),
    () => {
      hold.open();
      return say('Two are at it.');
    },
  );
  afterwards(server);
  await using crew = await openCrew(server, limited({ agentsAtOnce: 2 }));
  await crew.say('go');
  const [, second] = server.requests.filter((request) => !isChild(request));
  const refused = texts(second).filter((text) => text.startsWith('refused: '));
  expect(refused).toEqual(
    Array(3).fill(
      expect.stringContaining('2 agents are running, which is the limit (setting limits.agentsAtOnce)'),
    ),
  );
  expect(server.requests.filter(isChild)).toHaveLength(2);
  // Both have ended: two more may start.
  expect(await spawned(crew, {})).toHaveProperty('result');
  await crew.quiet();
});

it('a verifier of a hook needs no place and counts for no depth', async () => {
  const hold = gate();
  await using server = await modelServer();
  server.always(({ system }) => system.includes('You verify one thing'), say('{"ok": true}'));
  held(server, hold);
  await using crew = await openCrew(server, limited({ agentsAtOnce: 1, agentDepth: 1 }));
  const busy = await spawned(crew, { background: true });
  expect(await spawned(crew, {})).toEqual({ refused: expect.stringContaining('1 agents are running') });
  const check = await spawned(crew, { type: 'verify', verifier: true, model: 'small' });
  expect('result' in check && (await check.result)).toMatchObject({ status: 'done', text: '{"ok": true}' });
  hold.open();
  expect('result' in busy && (await busy.result)).toMatchObject({ status: 'done' });
});

it('agents nest as deep as the limit says', async () => {
  await using server = await modelServer();
  server.lane(isChild, start('deeper'), say('Could not.'));
  server.script(start('deep'), say('Done.'));
  await using crew = await openCrew(server, limited({ agentDepth: 1 }));
  await crew.say('go');
  const [, after] = server.requests.filter(isChild);
  expect(texts(after)).toEqual([
    expect.stringContaining('refused: Agents may be nested 1 deep at most (setting limits.agentDepth)'),
  ]);
});

it('of two with the same name in one reply one starts, and the other is told who has it', async () => {
  const hold = gate();
  await using server = await modelServer();
  held(server, hold);
  server.script(
    [
      start('first', { name: 'Ann', run_in_background: true }),
      start('second', { name: 'ann', run_in_background: true }),
    ],
    () => {
      hold.open();
      return say('One is at it.');
    },
  );
  afterwards(server);
  await using crew = await openCrew(server);
  await crew.say('go');
  const [, second] = server.requests.filter((request) => !isChild(request));
  expect(texts(second).filter((text) => text.startsWith('refused: '))).toEqual([
    expect.stringMatching(/The name "\w+" is in use by the agent .*Choose another, or send it a message/),
  ]);
});

it('whoever starts agents in the background hears of their ends before it ends itself', async () => {
  await using server = await modelServer();
  const inner = (request: Received) => isChild(request) && request.raw.includes('inner job');
  server.lane(
    ({ raw, system }) => isChild({ raw, system } as Received) && raw.includes('outer job'),
    start('the part of it', { run_in_background: true }),
    say('Started it.'),
    say('It came to something.'),
  );
  server.always((request) => isChild(request) && !inner(request), say('Part done.'));
  server.script(start('outer job'), say('Good.'));
  await using crew = await openCrew(server);
  await crew.say('go');
  const outer = server.requests.filter(
    ({ raw, system }) => system.includes('agent type') && raw.includes('outer job'),
  );
  expect(outer).toHaveLength(3);
  expect(outer[2]?.raw.split('<task-notification>')).toHaveLength(2);
  const [, second] = server.requests.filter((request) => !isChild(request));
  expect(texts(second)).toEqual([expect.stringMatching(/^It came to something\.\n\n\[agent .*1 tool call,/)]);
});

it('after a restart a named agent goes on with a message, its output is read, and a stop says that it has ended', async () => {
  await using server = await modelServer();
  server.always(
    ({ raw, system }) => system.includes('agent type') && raw.includes('the second part'),
    say('All of it.'),
  );
  server.always(isChild, say('Half of it.'));
  server.script(start('walk on', { name: 'Scout' }), say('So far.'));
  const crew = await openCrew(server);
  await crew.say('go');
  const { id } = crew.root.session;
  await crew.close();

  server.script(
    [
      use('TaskOutputTool', { task_id: 'scout' }),
      use('TaskStopTool', { task_id: 'scout' }),
      write('scout', 'Now the second part'),
    ],
    say('It goes on.'),
    say('Heard.'),
  );
  const again = await openCrew(server, { place: crew.place, resume: id });
  await again.say('And?');
  await again.close();
  const answers = texts(server.requests.find(({ results }) => results.length === 3));
  expect(JSON.parse(answers[0] ?? '')).toMatchObject({ status: 'completed', output: 'Half of it.' });
  expect(answers[1]).toMatch(/^refused: The agent Scout is not running \(done\)/);
  expect(JSON.parse(answers[2] ?? '')).toMatchObject({ success: true });
  const child = server.requests.findLast(isChild);
  expect(child?.raw).toContain('Half of it.');
  expect(child?.prompt).toContain('Now the second part');
  const notice = server.requests.findLast((request) => !isChild(request));
  expect(notice?.prompt).toContain('All of it.');
  const output = JSON.parse(answers[0] ?? '').output_file;
  expect(readFileSync(output, 'utf8')).toBe('All of it.');
  await crew.place.dispose();
});

it('a name belongs to the last who took it, whoever was continued since', async () => {
  await using server = await modelServer();
  server.always(isChild, ({ prompt }) => say(`I am ${/\d/.exec(prompt)?.[0]}.`));
  server.script([start('be 1', { name: 'it' })], [start('be 2', { name: 'it' })], say('Both were.'));
  afterwards(server);
  await using crew = await openCrew(server);
  await crew.say('go');
  const [first, second] = crew.root.agents.list();
  const parent = crew.root.session.state();
  await crew.root.agents.resume(first?.id ?? '', 'again 3', parent);
  await crew.quiet();
  const handle = await crew.root.agents.resume('it', 'who are you 4', parent);
  await crew.quiet();
  expect(handle).toMatchObject({ id: second?.id as SessionId });
});

it('what an agent is left with when it fails is one clear error, and the conversation goes on', async () => {
  await using server = await modelServer();
  server.lane(isChild, {
    kind: 'http',
    status: 400,
    headers: {},
    body: '{"error":{"message":"no such thing"}}',
  });
  server.script(start('try'), say('I go on without it.'));
  await using crew = await openCrew(server);
  await crew.say('go');
  const [, second] = server.requests.filter((request) => !isChild(request));
  expect(texts(second)).toEqual([expect.stringMatching(/^refused: The agent failed: .*no such thing/s)]);
  expect(crew.root.conversation.lastEnd()).toMatchObject({ text: 'I go on without it.' });
});

/** Longer than it takes to begin: the limit is used up by the answer. */
const USED_MS = 300;

it.each<[string, object, Partial<AgentDefinition>, RegExp]>([
  ['turns of its definition', {}, { maxTurns: 1 }, /Reached the limit of 1 turn\b/],
  ['turns of the settings', { turns: 1 }, {}, /Reached the limit of 1 turn\b/],
  ['tokens', { tokens: 100 }, {}, /Reached the limit of 100 tokens/],
  ['minutes', { minutes: USED_MS / 60_000 }, {}, /Reached the limit of [\d.]+ minutes/],
])(
  'a limit of %s parks an agent with what it had, and a message lets it go on',
  async (_what, agent, more, limit) => {
    await using server = await modelServer();
    const usage = { input_tokens: 200, output_tokens: 10 };
    const half = reply([say('Half of it.'), use('Glob', { pattern: '*' })], { usage });
    server.always(isChild, async ({ raw }) => {
      if ('minutes' in agent) await pause(USED_MS + 50);
      return raw.includes('Now finish') ? say('All of it.') : half;
    });
    server.script(start('go', { name: 'it' }), say('Parked.'), write('it', 'Now finish'), say('It goes on.'));
    afterwards(server);
    const definitions = [{ ...wide, ...more }];
    await using crew = await openCrew(server, { definitions, settings: { limits: { agent } } });
    await crew.say('go');
    const [, second] = server.requests.filter((request) => !isChild(request));
    expect(second?.results).toMatchObject([{ error: false }]);
    expect(texts(second)[0]).toMatch(/^Half of it\./);
    expect(texts(second)[0]).toMatch(limit);
    expect(texts(second)[0]).toMatch(/send it a message: SendMessageTool, to "it"/);
    expect(crew.root.agents.list()).toMatchObject([{ status: 'done' }]);
    await crew.say('let it');
    const notice = server.requests.findLast((request) => !isChild(request))?.prompt;
    expect(notice).toContain('All of it.');
    expect(notice).toContain('<status>completed</status>');
  },
);

it('a message that comes while an agent ends lets it go on', async () => {
  await using server = await modelServer();
  server.always(isChild, ({ raw }) => say(raw.includes('one thing more') ? 'That too.' : 'Done so far.'));
  server.script(start('go', { run_in_background: true }), say('It goes.'));
  afterwards(server);
  await using crew = await openCrew(server, {
    settings: {
      hooks: {
        SubagentStop: [
          { hooks: [{ type: 'command', command: 'touch stopping; until [ -e go ]; do sleep 0.02; done' }] },
        ],
      },
    },
  });
  await crew.root.session.send('go');
  await expect.poll(() => existsSync(join(crew.place.path, 'stopping')), { timeout: 20_000 }).toBe(true);
  const [agent] = crew.root.agents.list();
  await crew.root.agents.resume(agent?.id ?? '', 'one thing more', crew.root.session.state(), 'person');
  writeFileSync(join(crew.place.path, 'go'), '');
  await expect
    .poll(() => server.requests.findLast((request) => !isChild(request))?.prompt, { timeout: 20_000 })
    .toContain('That too.');
  await crew.quiet();
});

it('whoever leaves while an agent works is told once when they come back, and nothing is asked meanwhile', async () => {
  const begun = gate();
  await using server = await modelServer();
  server.lane(isChild, [say('Half of it.'), use('Glob', { pattern: '*' })], async () => {
    begun.open();
    await new Promise((resolve) => setTimeout(resolve, 600_000).unref());
    return say('never');
  });
  server.script(start('walk', { run_in_background: true }), say('It walks.'));
  const crew = await openCrew(server);
  await crew.root.session.send('go');
  await begun.opened;
  await crew.root.conversation.idle();
  const { id } = crew.root.session;
  await crew.close();
  expect(server.requests.filter((request) => !isChild(request))).toHaveLength(2);
  for (const words of ['And?', 'And now?']) {
    afterwards(server);
    const again = await openCrew(server, { place: crew.place, resume: id });
    await again.say(words);
    await again.close();
  }
  const last = server.requests.at(-1);
  expect(last?.raw.split('<status>stopped</status>')).toHaveLength(2);
  expect(last?.raw).toContain('Half of it.');
  await crew.place.dispose();
});

const narrow: AgentDefinition = {
  name: 'narrow',
  description: 'n',
  prompt: 'You are the agent type narrow.',
  tools: ['AgentTool', 'Read', 'Bash(ls *)'],
  disallowedTools: ['Read(secret/**)'],
  source: 'project',
};
it('an agent of an agent has no more than both definitions leave', async () => {
  await using server = await modelServer();
  server.lane(({ system }) => system.includes('narrow'), start('all of it'), say('Done.'));
  server.lane(
    ({ system }) => system.includes('wide'),
    [
      use('Bash', { command: 'touch made' }),
      use('Read', { file_path: 'secret/a.txt' }),
      use('Write', { file_path: 'b.txt', content: 'x' }),
    ],
    say('Tried.'),
  );
  server.script(start('go', { subagent_type: 'narrow' }), say('So.'));
  await using crew = await openCrew(server, {
    definitions: [narrow, wide],
    settings: { permissions: { allow: ['Bash', 'Read', 'Write'] } },
    mode: 'bypassPermissions',
  });
  await crew.say('go');
  const inner = server.requests.filter(({ system }) => system.includes('wide'));
  expect(inner[0]?.tools.toSorted()).toEqual(['AgentTool', 'Bash', 'Read']);
  expect(texts(inner[1])).toEqual([
    expect.stringContaining('only as Bash(ls *)'),
    expect.stringMatching(/refused: .*Read\(secret/),
    expect.stringContaining('There is no tool named Write'),
  ]);
});

it('an agent whose prompt cannot be mailed ends like any other: shown, its hooks told, its tasks given back', async () => {
  await using server = await modelServer();
  await using crew = await openCrew(server);
  const heard = join(crew.place.path, 'stops.txt');
  await crew.place.write(
    join(crew.place.state, 'settings.json'),
    JSON.stringify({
      hooks: { SubagentStop: [{ hooks: [{ type: 'command', command: `echo stop >> ${heard}` }] }] },
    }),
  );
  await crew.house.world.reload();
  const { send } = crew.stores.mailbox;
  Object.assign(crew.stores.mailbox, { send: () => Promise.reject(new Error('the disk is full')) });
  const handle = await spawned(crew, {});
  if ('refused' in handle) throw new Error(handle.refused);
  expect(await handle.result).toMatchObject({
    status: 'failed',
    text: 'The agent failed: the disk is full',
  });
  Object.assign(crew.stores.mailbox, { send });
  expect(crew.seen.flatMap((event) => (event.type === 'agent.finished' ? [event.status] : []))).toEqual([
    'failed',
  ]);
  expect(readFileSync(heard, 'utf8')).toBe('stop\n');
  expect(readFileSync(handle.output, 'utf8')).toBe('The agent failed: the disk is full');
  expect(server.requests).toEqual([]);
});

it('what fails at the end of a run is told and keeps nothing else from its end', async () => {
  await using server = await modelServer();
  server.always(isChild, say('Done.'));
  await using crew = await openCrew(server);
  Object.assign(crew.root.tasks, { release: () => Promise.reject(new Error('no lists')) });
  const handle = await spawned(crew, {});
  if ('refused' in handle) throw new Error(handle.refused);
  expect(await handle.result).toMatchObject({ status: 'done', text: 'Done.' });
  const shown = crew.seen.flatMap((event) =>
    event.type === 'agent.finished' ? [event.status] : event.type === 'notice' ? [event.text] : [],
  );
  expect(shown).toEqual(['The end of general-purpose is not whole: no lists', 'done']);
});

it('an answer whose file cannot be written says so beside the answer', async () => {
  const hold = gate();
  await using server = await modelServer();
  held(server, hold);
  await using crew = await openCrew(server);
  const handle = await spawned(crew, {});
  if ('refused' in handle) throw new Error(handle.refused);
  mkdirSync(handle.output);
  hold.open();
  const { status, text } = await handle.result;
  expect([status, text]).toEqual(['done', expect.stringMatching(/Go\.\n\nCould not write .*\.output/)]);
});

it('an agent that has not begun when the program ends asks nothing of the model, and is not told to be done', async () => {
  await using server = await modelServer();
  server.always(isChild, say('Too late.'));
  await using crew = await openCrew(server);
  const at = (name: string) => join(crew.place.path, name);
  await crew.place.write(
    join(crew.place.state, 'settings.json'),
    JSON.stringify({
      hooks: {
        SubagentStart: [
          {
            hooks: [
              {
                type: 'command',
                command: `touch ${at('begun')}; until [ -e ${at('go')} ]; do sleep 0.02; done`,
              },
            ],
          },
        ],
      },
    }),
  );
  await crew.house.world.reload();
  const handle = await spawned(crew, { background: true });
  if ('refused' in handle) throw new Error(handle.refused);
  await expect.poll(() => existsSync(at('begun')), { timeout: 10_000 }).toBe(true);
  const closed = crew.close();
  writeFileSync(at('go'), '');
  await closed;
  expect([(await handle.result).status, server.requests.length]).toEqual(['stopped', 0]);
});
