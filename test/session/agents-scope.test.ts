/** What an agent may do: what its definition and everybody above it leave, now and not when it began. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentDefinition } from '../../src/contract/agent.ts';
import type { SessionId } from '../../src/contract/ids.ts';
import { type Mode, modes } from '../../src/contract/mode.ts';
import { modelServer } from '../support/model-server.ts';
import type { Received } from '../support/received.ts';
import { gate, say, use } from '../support/replies.ts';
import { openCrew } from './crew.ts';

const isChild = ({ system }: Received): boolean => system.includes('You are the agent type');
const start = (type: string, prompt = 'Go') =>
  use('AgentTool', { prompt, description: 'Do it now', subagent_type: type });

const rules = {
  'no rules': {},
  'an allow rule': { permissions: { allow: ['Edit(made/**)'] } },
  'a deny rule': { permissions: { deny: ['Edit(made/**)'] } },
} as const;
const tools = { all: undefined, 'with Write': ['Write'], 'without Write': ['Read'] } as const;

interface Case {
  readonly name: string;
  readonly mode: Mode | undefined;
  readonly tools: keyof typeof tools;
}
const cases: readonly Case[] = [undefined, ...modes].flatMap((mode) =>
  (Object.keys(tools) as (keyof typeof tools)[]).map((listed) => ({
    name: `${mode ?? 'inherits'}-${listed.replaceAll(' ', '-')}`,
    mode,
    tools: listed,
  })),
);
const definitions: readonly AgentDefinition[] = cases.map(({ name, mode, tools: listed }) => ({
  name,
  description: name,
  prompt: `You are the agent type ${name}.`,
  source: 'project',
  ...(mode ? { permissionMode: mode } : {}),
  ...(tools[listed] ? { tools: tools[listed] } : {}),
}));

/** What the documents say, told another way than the program tells it (rulings 2, 5 and 31). */
const mayWrite = (parent: Mode, { mode, tools: listed }: Case, rule: keyof typeof rules): boolean => {
  if (listed === 'without Write' || rule === 'a deny rule') return false;
  const held = [parent, mode ?? parent];
  if (held.includes('plan')) return false;
  if (rule === 'an allow rule') return true;
  return held.every((one) => one === 'acceptEdits' || one === 'bypassPermissions');
};

describe.each(modes)('a parent in mode %s', (parent) => {
  it.each(Object.keys(rules) as (keyof typeof rules)[])(
    'with %s: agents of every mode and tool list',
    async (rule) => {
      await using server = await modelServer();
      server.always(isChild, ({ results, system }) =>
        results.length > 0
          ? say('Tried.')
          : use('Write', { file_path: `made/${/agent type ([\w-]+)/.exec(system)?.[1]}.txt`, content: 'x' }),
      );
      await using crew = await openCrew(server, { definitions, settings: rules[rule], mode: parent });
      const state = crew.root.session.state();
      const handles = await Promise.all(
        cases.map(({ name }) =>
          crew.root.agents.spawn({
            prompt: 'Go',
            label: name,
            type: name,
            parent: state,
            background: false,
            signal: new AbortController().signal,
          }),
        ),
      );
      await Promise.all(handles.map((handle) => 'result' in handle && handle.result));
      const made = cases.map(({ name }) => existsSync(join(crew.place.path, 'made', `${name}.txt`)));
      expect(Object.fromEntries(cases.map((one, at) => [one.name, made[at]]))).toEqual(
        Object.fromEntries(cases.map((one) => [one.name, mayWrite(parent, one, rule)])),
      );
      expect(server.violations).toEqual([]);
    },
  );
});

const worker: AgentDefinition = {
  name: 'general-purpose',
  description: 'g',
  prompt: 'You are the agent type worker.',
  source: 'builtin',
};

it('plan mode switched on binds an agent that runs at its next call, and switched off it goes on', async () => {
  const planned = gate();
  const over = gate();
  await using server = await modelServer();
  const write = (name: string) => use('Write', { file_path: name, content: 'x' });
  server.lane(
    isChild,
    write('one.txt'),
    async () => {
      await planned.opened;
      return write('two.txt');
    },
    async () => {
      over.open();
      await crew.root.session.setMode('acceptEdits');
      return write('three.txt');
    },
    say('Done.'),
  );
  server.script(start('general-purpose'), say('So.'));
  await using crew = await openCrew(server, { definitions: [worker], mode: 'acceptEdits' });
  const going = crew.say('go');
  await server.waitForRequests(3);
  await crew.root.session.setMode('plan');
  planned.open();
  await over.opened;
  await going;
  const there = ['one', 'two', 'three'].map((name) => existsSync(join(crew.place.path, `${name}.txt`)));
  expect(there).toEqual([true, false, true]);
  const refused = server.requests.filter(isChild)[2]?.results[0];
  expect([refused?.error, refused?.text]).toEqual([true, expect.stringMatching(/plan/i)]);
});

it('what the person granted the conversation counts for its agents; what they granted an agent dies with it', async () => {
  const asked: string[] = [];
  await using server = await modelServer();
  const run = (command: string) => use('Bash', { command });
  // The conversation is granted one command, the agent another.
  server.lane(
    isChild,
    run('touch granted/above'),
    run('mkdir granted/below'),
    run('mkdir granted/again'),
    say('Done.'),
  );
  server.lane(isChild, run('mkdir granted/anew'), say('Done.'));
  server.script(
    run('mkdir -p granted && touch granted/first'),
    start('general-purpose', 'first'),
    run('mkdir granted/by-parent'),
    start('general-purpose', 'second'),
    say('So.'),
  );
  await using crew = await openCrew(server, {
    definitions: [worker],
    answer: (question) => {
      if (question.kind !== 'permission') return undefined;
      asked.push(question.subject);
      const rule = question.subject.startsWith('mkdir -p') ? 'Bash(touch *)' : 'Bash(mkdir *)';
      return { kind: 'permission', behavior: 'allow', remember: { rules: [rule], to: 'session' } };
    },
  });
  await crew.say('go');
  expect(asked).toEqual([
    'mkdir -p granted && touch granted/first',
    'mkdir granted/below',
    'mkdir granted/by-parent',
  ]);
  expect(existsSync(join(crew.place.path, 'granted/anew'))).toBe(true);
  const transcript = crew.root.agents.list().map(({ id }) => id as SessionId);
  expect(transcript).toHaveLength(2);
});

it('a question of an agent where nobody is there is one refusal, and both go on', async () => {
  await using server = await modelServer();
  server.lane(isChild, use('Bash', { command: 'touch made' }), say('Could not.'));
  server.script(start('general-purpose'), say('I see.'));
  await using crew = await openCrew(server, { definitions: [worker] });
  await crew.say('go');
  const [, child] = server.requests.filter(isChild);
  expect(child?.results).toMatchObject([{ error: true, text: expect.stringContaining('nobody') }]);
  const [, parent] = server.requests.filter((request) => !isChild(request));
  expect(parent?.results).toMatchObject([{ error: false, text: expect.stringContaining('Could not.') }]);
  expect(crew.root.conversation.lastEnd()).toMatchObject({ stop: 'end_turn', text: 'I see.' });
});

it('a person who says no to an agent stops it alone: its parent hears why, and goes on', async () => {
  await using server = await modelServer();
  server.lane(isChild, use('Bash', { command: 'touch made' }));
  server.script(start('general-purpose'), say('I see.'));
  await using crew = await openCrew(server, {
    definitions: [worker],
    answer: () => ({ kind: 'permission', behavior: 'deny' }),
  });
  await crew.say('go');
  const [, parent] = server.requests.filter((request) => !isChild(request));
  expect(parent?.results[0]?.text).toMatch(/the user refused what it wanted to do \(Bash\)/);
  expect(crew.root.conversation.lastEnd()).toMatchObject({ stop: 'end_turn', text: 'I see.' });
});
