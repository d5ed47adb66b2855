/** Plan mode: many ways to change something, each shown to work without it and none with it; then the plan, approved. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBait } from '../support/hostile.ts';
import { type Line, modelServer } from '../support/model-server.ts';
import { childCall, layGround, layHelp, snapshot, type Way, waysOf } from '../support/plan-ways.ts';
import { leftovers } from '../support/processes.ts';
import type { Received } from '../support/received.ts';
import { reply, say, use } from '../support/replies.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';
import { openTerminal } from '../support/terminal.ts';

interface Tried {
  readonly ways: readonly Way[];
  /** Paths below the temporary root that differ, and outgoing requests. */
  readonly changed: readonly string[];
  readonly results: readonly { readonly text: string; readonly error: boolean }[];
  readonly root: string;
}

/** One run of a model that tries everything, a call at a time. */
const tryAll = async (mode: string): Promise<Tried> => {
  await using server = await modelServer();
  await using repo = await tempRepo({ server, env: { COPPICE_SANDBOXED: '1' } });
  await using bait = await openBait(repo);
  await layGround(repo);
  await layHelp(repo);
  await bait.reset();
  const ways = waysOf(repo, bait.url);
  const left = [...ways];
  server.always(
    () => true,
    (request) => {
      const text = JSON.stringify(request.body.messages[0]);
      const child = childCall(text);
      if (child) return request.body.messages.length === 1 ? reply(child) : say('tried');
      const next = left.shift();
      return next ? reply(next.call) : say('done');
    },
  );
  const own = new Set(['projects', 'history', 'tasks', 'teams', 'locks', 'trust.json', 'file-history']);
  const skip = (path: string) =>
    path.startsWith(join(repo.root, 'fired')) ||
    (path.startsWith(`${repo.state}/`) && own.has(path.slice(repo.state.length + 1).split('/')[0] ?? ''));
  const before = snapshot(repo.root, skip);
  const ran = await runCoppice(repo, ['-p', 'go', '--permission-mode', mode], { timeout: 110_000 });
  expect(ran.stdout).toBe('done\n');
  // What nobody runs any more changes nothing later.
  expect(await leftovers(repo.tag)).toEqual([]);
  const after = snapshot(repo.root, skip);
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
  return {
    ways,
    changed: [...changed.map((path) => join(repo.root, path)), ...(await bait.fired())],
    results: server.requests.flatMap(({ results }) => results),
    root: repo.root,
  };
};

let free: Tried;
let planned: Tried;
beforeAll(async () => {
  free = await tryAll('bypassPermissions');
  planned = await tryAll('plan');
}, 240_000);

it('there are more than 30 ways', () => {
  expect(free.ways.filter(({ mark }) => mark !== '').length).toBeGreaterThan(30);
});

it('each of them changes something without plan mode', () => {
  const idle = free.ways.filter(({ mark }) => mark !== '' && !free.changed.includes(mark));
  expect(idle.map(({ name }) => name)).toEqual([]);
});

it('none of them changes anything in plan mode: not the tree, not .git, not the home, nothing temporary, no request', () => {
  expect(planned.changed.map((path) => path.replace(planned.root, ''))).toEqual([]);
});

it('each refusal tells the model to put the step into the plan', () => {
  const refused = planned.results.filter(({ text }) => text.includes('Put the step into the plan instead.'));
  expect(refused.length).toBeGreaterThan(45);
});

const PLAN = '# Plan\n\n1. Say goodbye.\n\n## Files\n\n- `src/main.ts`\n';
const EDIT = { file_path: 'src/main.ts', old_string: 'hello', new_string: 'goodbye' };

describe('leaving it in a run without a person', () => {
  const allowing = (event: string) => ({
    hooks: {
      [event]: [
        {
          matcher: 'ExitPlanModeTool',
          hooks: [
            {
              type: 'command',
              command: `echo '${JSON.stringify({
                hookSpecificOutput:
                  event === 'PreToolUse'
                    ? { hookEventName: event, permissionDecision: 'allow' }
                    : { hookEventName: event, decision: { behavior: 'allow' } },
              })}'`,
            },
          ],
        },
      ],
    },
  });
  const plan = async (settings: object, work: () => readonly Line[], ...args: string[]) => {
    const server = await modelServer();
    const repo = await tempRepo({ server });
    await repo.write(join(repo.state, 'settings.json'), JSON.stringify(settings));
    server.script(...work(), say('done'));
    const ran = await runCoppice(repo, ['-p', 'go', '--output-format', 'json', ...args]);
    return {
      repo,
      server,
      result: JSON.parse(ran.stdout),
      text: (at: number) => server.requests[at]?.results.map(({ text }) => text).join('\n') ?? '',
      async [Symbol.asyncDispose]() {
        await repo.dispose();
        await server.close();
      },
    };
  };
  const exit = use('ExitPlanModeTool', { plan: PLAN });

  it('proposes and stops unless a hook approves', async () => {
    await using here = await plan({}, () => [[exit, use('Edit', EDIT)]], '--permission-mode', 'plan');
    expect(here.server.requests).toHaveLength(1);
    expect(await here.repo.read('src/main.ts')).toContain('hello');
    expect(here.result.permission_denials).toMatchObject([
      { tool_name: 'ExitPlanModeTool', tool_input: { plan: PLAN } },
    ]);
  });

  it.each(['PreToolUse', 'PermissionRequest'])(
    'begun in plan mode, a yes of %s leads to acceptEdits; the next request carries plan and mode, and the edits land',
    async (event) => {
      await using here = await plan(
        allowing(event),
        () => [exit, use('Edit', EDIT)],
        '--permission-mode',
        'plan',
      );
      const told = JSON.parse(here.text(1));
      expect(told).toMatchObject({
        plan: PLAN,
        message: expect.stringContaining('The mode is now acceptEdits'),
      });
      expect(await here.repo.read('src/main.ts')).toContain('goodbye');
      expect(here.result).toMatchObject({ is_error: false, permission_denials: [] });
    },
  );

  it('entered on the way, a yes restores the mode before', async () => {
    await using here = await plan(allowing('PermissionRequest'), () => [
      use('EnterPlanModeTool', {}),
      exit,
      use('Edit', EDIT),
    ]);
    expect(here.text(2)).toContain('The mode is now default');
    expect(here.text(3)).toContain('needs an allow rule');
    expect(await here.repo.read('src/main.ts')).toContain('hello');
  });

  it('a later change outside the files of the plan asks, once for each path, in acceptEdits too', async () => {
    await using here = await plan(
      allowing('PermissionRequest'),
      () => [exit, use('Write', { file_path: 'other.ts', content: 'x' }), use('Edit', EDIT)],
      '--permission-mode',
      'plan',
    );
    expect(here.text(2)).toContain('is not among the files that the approved plan names');
    expect(existsSync(join(here.repo.path, 'other.ts'))).toBe(false);
    expect(await here.repo.read('src/main.ts')).toContain('goodbye');
  });

  it('is an error outside plan mode, and entering twice is answered', async () => {
    await using here = await plan({}, () => [
      exit,
      use('EnterPlanModeTool', {}),
      use('EnterPlanModeTool', {}),
      use('Edit', EDIT),
    ]);
    expect(here.text(1)).toContain('works only in plan mode');
    expect(JSON.parse(here.text(2))).toEqual({ message: expect.stringContaining('Plan mode is on.') });
    expect(JSON.parse(here.text(3))).toEqual({ message: expect.stringContaining('on already') });
    expect(here.text(4)).toContain('Put the step into the plan instead');
  });

  it('keeps one file for the plan: it may be written and read, and is what is proposed', async () => {
    const file = ({ results }: Received): string =>
      /plan file (\S+\.md)/.exec(results[0]?.text ?? '')?.[1] ?? '';
    let path = '';
    await using here = await plan(allowing('PermissionRequest'), () => [
      use('EnterPlanModeTool', {}),
      (request: Received) => {
        path = file(request);
        return use('Write', { file_path: path, content: PLAN });
      },
      () => use('Read', { file_path: path }),
      use('ExitPlanModeTool', {}),
    ]);
    expect(here.text(3)).toContain('Say goodbye.');
    expect(JSON.parse(here.text(4))).toMatchObject({ plan: PLAN, filePath: path });
  });
});

describe('a person who switches it on', () => {
  let repo: TempRepo;
  beforeAll(async () => {
    repo = await tempRepo();
  });
  afterAll(() => repo.dispose());

  it('binds an agent that runs already, at its next call', async () => {
    await using server = await modelServer();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    server.always(
      () => true,
      async (request) => {
        const first = JSON.stringify(request.body.messages[0]);
        if (!first.includes('Be slow')) {
          const begun = request.results.length > 0 || !request.prompt.includes('go');
          return begun
            ? say('started')
            : reply(
                use('AgentTool', {
                  prompt: 'Be slow.',
                  description: 'Is slow at it',
                  run_in_background: true,
                }),
              );
        }
        if (request.body.messages.length > 1) return say('tried');
        await held;
        return reply(use('Write', { file_path: 'late.txt', content: 'x' }));
      },
    );
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test-CANARY' };
    await using terminal = await openTerminal(repo, ['--trust', '--permission-mode', 'acceptEdits'], { env });
    await terminal.ready();
    await terminal.waitFor(/accept/i);
    terminal.type('go');
    await terminal.settle();
    terminal.key('enter');
    await terminal.waitFor('started');
    terminal.key('shift+tab');
    await terminal.waitFor(/plan/i);
    release();
    for (let tries = 0; tries < 300; tries++) {
      if (server.requests.some(({ results }) => results.some(({ text }) => text.includes('late.txt')))) break;
      await sleep(30);
    }
    const told = server.requests.flatMap(({ results }) => results.map(({ text }) => text));
    expect(told.find((text) => text.includes('late.txt'))).toContain('Plan mode changes nothing');
    expect(existsSync(join(repo.path, 'late.txt'))).toBe(false);
  });
});
