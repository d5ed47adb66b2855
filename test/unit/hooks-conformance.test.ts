/** Every event with every type for every actor, and every type with every form of `if` and `once`. */
import { mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { HookEvent, HookScope } from '../../src/contract/hook.ts';
import type { SessionState } from '../../src/contract/state.ts';
import { type Actor, eventFacts, hookEvents } from '../../src/hooks/events.ts';
import type { ModelQuestion } from '../../src/hooks/model-hook.ts';
import { matchesIf } from '../../src/permission/hook-filter.ts';
import { sessionId, type World, world } from '../hooks/world.ts';

const types = ['command', 'prompt', 'agent', 'http'] as const;
type Type = (typeof types)[number];
type Fields = Readonly<Record<string, unknown>>;

const tree = realpathSync(mkdtempSync(join(tmpdir(), 'tree-')));
const seen: Fields[] = [];
let answer = '';
const server = createServer(async (request, reply) => {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  seen.push(JSON.parse(body) as Fields);
  reply.end(answer === 'no' ? '{"decision":"block","reason":"no"}' : '');
});
let url = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  answer = '';
});

const model = async ({ prompt }: ModelQuestion) => {
  seen.push(JSON.parse(prompt) as Fields);
  return { text: answer === 'no' ? '{"ok":false,"reason":"no"}' : '{"ok":true}' };
};

const handler = (type: Type, more: object = {}) =>
  ({
    command: {
      type,
      command: `cat > document; ${answer === 'no' ? 'echo no >&2; exit 2' : 'exit 0'}`,
      ...more,
    },
    prompt: { type, prompt: '$ARGUMENTS', ...more },
    agent: { type, prompt: '$ARGUMENTS', ...more },
    http: { type, url, ...more },
  })[type];

const configured = (event: HookEvent, type: Type, more: object = {}) =>
  world(
    { [event]: [{ hooks: [handler(type, more)] }] },
    {
      evaluate: model,
      verify: model,
      matchIf: (rule, call, at) =>
        matchesIf(rule, call, { ...at, home: '/home/nobody', readLink: () => undefined }),
    },
  );

const actors: Readonly<Record<Actor, Partial<SessionState>>> = {
  main: {},
  'sub-agent': child('explore'),
  'forked skill': child('general-purpose'),
  teammate: { ...child('builder'), team: 'crew' },
  'worktree agent': { ...child('reader'), cwd: tree, checkout: tree },
};
function child(type: string): Partial<SessionState> {
  return {
    id: sessionId('child'),
    root: sessionId('session-1'),
    parent: sessionId('session-1'),
    agent: { id: 'child', type },
  };
}
const scopeOf = (here: World, actor: Actor): HookScope =>
  here.scope(actor === 'main' ? {} : { transcriptPath: '/t/child.jsonl' }, actors[actor]);

describe.each(types)('%s', (type) => {
  const cells = hookEvents.flatMap((event) =>
    eventFacts[event].actors.map((actor) => [event, actor] as const),
  );
  test.each(cells)('%s by %s is given the whole document', async (event, actor) => {
    await using here = configured(event, type);
    const mark = `${type} ${event} ${actor}`;
    const payload = { ...eventFacts[event].sample, mark };
    const { runs, verdict } = await here.hooks.fire(event, payload, scopeOf(here, actor));
    expect(runs.map(({ ran }) => ran.outcome)).toEqual(['success']);
    expect(verdict.decision).toBeUndefined();
    const ids =
      actor === 'main'
        ? {}
        : {
            agent_id: 'child',
            agent_type: actors[actor].agent?.type,
            agent_transcript_path: '/t/child.jsonl',
            parent_session_id: 'session-1',
            ...(actor === 'teammate' ? { team_name: 'crew' } : {}),
          };
    const given =
      type === 'command'
        ? (JSON.parse(
            readFileSync(join(actor === 'worktree agent' ? tree : here.project, 'document'), 'utf8'),
          ) as Fields)
        : seen.find((one) => one.mark === mark);
    expect(given).toEqual({
      session_id: 'session-1',
      transcript_path: `${here.project}/session-1.jsonl`,
      cwd: actor === 'worktree agent' ? tree : here.project,
      permission_mode: 'default',
      hook_event_name: event,
      prompt_id: 'prompt-1',
      ...ids,
      ...payload,
    });
    expect(here.told.records).toMatchObject([{ event, type, outcome: 'success' }]);
  });

  test.each(hookEvents)('a no on %s counts where the event knows one, else it is shown', async (event) => {
    answer = 'no';
    await using here = configured(event, type, { continueOnBlock: true });
    const { verdict } = await here.hooks.fire(event, { ...eventFacts[event].sample }, here.scope());
    const shown = verdict.systemMessages.some((text) => text.includes('no'));
    expect([verdict.blocked, shown]).toEqual(eventFacts[event].block ? ['no', false] : [undefined, true]);
    expect(verdict.decision).toBe(event === 'PreToolUse' ? 'deny' : undefined);
    expect(here.notices().length > 0).toBe(shown);
  });

  const call = (tool_name: string, tool_input: object) => ({ tool_name, tool_input, tool_use_id: 't' });
  const filters: readonly (readonly [rule: string, payload: ReturnType<typeof call>, runs: boolean])[] = [
    ['Bash', call('Bash', { command: 'ls' }), true],
    ['Bash', call('Read', { file_path: '/p/a' }), false],
    ['Bash(git *)', call('Bash', { command: 'cd x && git push' }), true],
    ['Bash(git *)', call('Bash', { command: 'echo $(git status)' }), true],
    ['Bash(git *)', call('Bash', { command: 'A=1 git log' }), true],
    ['Bash(git *)', call('Bash', { command: 'echo git' }), false],
    ['Bash(git commit:*)', call('Bash', { command: 'git commit -m x' }), true],
    ['Bash(git commit:*)', call('Bash', { command: 'git push' }), false],
    ['Read(*.ts)', call('Read', { file_path: '/p/src/a.ts' }), true],
    ['Read(*.ts)', call('Read', { file_path: '/p/src/a.js' }), false],
    ['Write(.env*)', call('Write', { file_path: '/p/.env.local', content: '' }), true],
    ['Write(.env*)', call('Edit', { file_path: '/p/.env.local' }), false],
    ['Write(.env*)', call('Write', { file_path: '/p/env', content: '' }), false],
    ['Agent', call('AgentTool', { prompt: 'x', description: 'y' }), true],
    ['AgentTool', call('Agent', { prompt: 'x', description: 'y' }), true],
    ['Task(explore)', call('AgentTool', { prompt: 'x', description: 'y', subagent_type: 'explore' }), true],
    ['Agent', call('Bash', { command: 'Agent' }), false],
  ];
  test.each(filters)('if %s on %j: %s', async (rule, payload, runs) => {
    await using here = configured('PreToolUse', type, { if: rule });
    const at = here.scope({}, { project: '/p', cwd: '/p' });
    expect((await here.hooks.fire('PreToolUse', payload, at)).matched).toBe(runs ? 1 : 0);
  });

  test('once with a filter, under parallel calls', async () => {
    const async = type === 'command' || type === 'http';
    for (const more of async ? [{}, { async: true }] : [{}]) {
      await using here = configured('PreToolUse', type, { once: true, if: 'Bash(git *)', ...more });
      await here.hooks.dispatch('PreToolUse', call('Bash', { command: 'ls' }), here.scope());
      const git = call('Bash', { command: 'git status' });
      await Promise.all([1, 2, 3].map(() => here.hooks.dispatch('PreToolUse', git, here.scope())));
      await expect.poll(() => here.told.records.length).toBe(1);
      expect(here.told.spent).toHaveLength(1);
      expect((await here.hooks.fire('PreToolUse', git, here.scope())).matched).toBe(0);
    }
  });

  test('a status message is told when it starts', async () => {
    await using here = configured('Stop', type, { statusMessage: 'Looking' });
    await here.hooks.fire('Stop', {}, here.scope());
    expect(here.told.events[0]).toMatchObject({ type: 'hook.started', statusMessage: 'Looking' });
  });
});
