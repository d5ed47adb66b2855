import { describe, expect, test } from 'vitest';
import type { HookEvent } from '../../src/contract/hook.ts';
import { compileMatcher, matcherFault, watchedNames } from '../../src/hooks/match.ts';
import { parseHooks, parsePluginHooks } from '../../src/hooks/parse.ts';
import { origin } from '../hooks/world.ts';

const parse = (raw: unknown) => {
  const { source, problems } = parseHooks(raw, origin());
  return {
    kept: source.groups.flatMap((group) =>
      group.hooks.map((one) => `${group.event} ${group.matcher ?? '-'} ${one.type}`),
    ),
    problems: problems.map((one) => one.place),
    texts: problems.map((one) => one.text),
    handlers: source.groups.flatMap((group) => group.hooks),
  };
};
const good = { type: 'command', command: 'true' };
const group = (...hooks: unknown[]) => ({ hooks });

const shapes: readonly (readonly [
  name: string,
  raw: unknown,
  kept: readonly string[],
  problems: readonly string[],
])[] = [
  ['nothing', undefined, [], []],
  ['null', null, [], []],
  ['an empty object', {}, [], []],
  [
    'the right shape',
    { Stop: [group(good)], PreToolUse: [{ matcher: 'Bash', hooks: [good] }] },
    ['Stop - command', 'PreToolUse Bash command'],
    [],
  ],
  ['a string for hooks', 'x', [], ['hooks']],
  ['a list for hooks', [{ matcher: 'Bash', hooks: [good] }], [], ['hooks[0]']],
  ['a list of event objects', [{ Stop: [group(good)] }, 5], ['Stop - command'], ['hooks[0]', 'hooks[1]']],
  [
    'an object for an event',
    { PostToolUse: { matcher: 'Edit', hooks: [good] }, Stop: [group(good)] },
    ['PostToolUse Edit command', 'Stop - command'],
    ['hooks.PostToolUse'],
  ],
  [
    'a string for an event',
    { PostToolUse: 'x', Stop: [group(good)] },
    ['Stop - command'],
    ['hooks.PostToolUse'],
  ],
  [
    'comment keys',
    { '// PostToolUse': 'off', _comment: ['x'], $schema: 'x', description: 'd', Stop: [group(good)] },
    ['Stop - command'],
    [],
  ],
  ['a comment among groups', { Stop: ['// nothing here', group(good)] }, ['Stop - command'], []],
  [
    'an unknown event',
    { BeforeTool: [group(good)], Stop: [group(good)] },
    ['Stop - command'],
    ['hooks.BeforeTool'],
  ],
  [
    'an event of others',
    { MessageDisplay: [group(good)], Stop: [group(good)] },
    ['Stop - command'],
    ['hooks.MessageDisplay'],
  ],
  ['a handler without its group', { Stop: [good, group(good)] }, ['Stop - command'], ['hooks.Stop[0]']],
  ['a group without hooks', { Stop: [{ matcher: '*' }, group(good)] }, ['Stop - command'], ['hooks.Stop[0]']],
  ['one handler instead of a list', { Stop: [{ hooks: good }] }, ['Stop - command'], ['hooks.Stop[0].hooks']],
  ['a group that is a number', { Stop: [7, group(good)] }, ['Stop - command'], ['hooks.Stop[0]']],
  [
    'a matcher that is an object',
    { PreToolUse: [{ matcher: { tool_name: 'Write' }, hooks: [good] }, group(good)] },
    ['PreToolUse - command'],
    ['hooks.PreToolUse[0].matcher'],
  ],
  [
    'a matcher that is no expression',
    { PreToolUse: [{ matcher: 'tools:Write AND file_paths:**/*.py', hooks: [good] }] },
    ['PreToolUse tools:Write AND file_paths:**/*.py command'],
    ['hooks.PreToolUse[0].matcher'],
  ],
  [
    'an unknown type',
    { Stop: [group({ type: 'lua', code: 'x' }, good)] },
    ['Stop - command'],
    ['hooks.Stop[0].hooks[0]'],
  ],
  [
    'a server tool',
    { Stop: [group({ type: 'mcp_tool', server: 's', tool: 't' }, good)] },
    ['Stop - command'],
    ['hooks.Stop[0].hooks[0]'],
  ],
  ['no type', { Stop: [group({ command: 'x' }, good)] }, ['Stop - command'], ['hooks.Stop[0].hooks[0]']],
  [
    'no command',
    { Stop: [group({ type: 'command' }, { type: 'command', command: '  ' }, good)] },
    ['Stop - command'],
    ['hooks.Stop[0].hooks[0].command', 'hooks.Stop[0].hooks[1].command'],
  ],
  [
    'a handler that is a string',
    { Stop: [group('echo', good)] },
    ['Stop - command'],
    ['hooks.Stop[0].hooks[0]'],
  ],
  [
    'a filter that is no text',
    { PreToolUse: [group({ ...good, if: ['Bash'] }, good)] },
    ['PreToolUse - command'],
    ['hooks.PreToolUse[0].hooks[0].if'],
  ],
  [
    'a url that is none',
    { Stop: [group({ type: 'http', url: 'ftp://x' }, good)] },
    ['Stop - command'],
    ['hooks.Stop[0].hooks[0].url'],
  ],
  [
    'wrong optional fields',
    { Stop: [group({ ...good, timeout: -1, once: 'yes', shell: 'fish' })] },
    ['Stop - command'],
    ['hooks.Stop[0].hooks[0].timeout', 'hooks.Stop[0].hooks[0].once', 'hooks.Stop[0].hooks[0].shell'],
  ],
  [
    'async where it means nothing',
    { Stop: [group({ type: 'prompt', prompt: 'x', async: true })] },
    ['Stop - prompt'],
    ['hooks.Stop[0].hooks[0].async'],
  ],
  [
    'keys of other programs',
    {
      Stop: [
        {
          ...group({ ...good, commandWindows: 'x', continueOnError: true, _comment: 'c', name: 'n' }),
          description: 'd',
          id: 'i',
          priority: 1,
        },
      ],
    },
    ['Stop - command'],
    [],
  ],
];
test.each(shapes)('%s', (_name, raw, kept, problems) => {
  const parsed = parse(raw);
  expect(parsed.kept).toEqual(kept);
  expect(parsed.problems).toEqual(problems);
});

test('every field that is right is kept', () => {
  const all = [
    {
      type: 'command',
      command: 'x',
      args: ['a'],
      shell: 'powershell',
      if: 'Bash',
      timeout: 0.5,
      statusMessage: 's',
      once: true,
      async: true,
      asyncRewake: true,
      onFailure: 'block',
    },
    { type: 'prompt', prompt: 'p', model: 'm', continueOnBlock: false },
    { type: 'agent', prompt: 'p', model: 'm', timeout: 5 },
    { type: 'http', url: 'https://x.example/y', headers: { A: 'b' }, allowedEnvVars: ['V'], async: true },
  ];
  const parsed = parse({ Stop: [group(...all)] });
  expect(parsed.problems).toEqual([]);
  expect(parsed.handlers.map(({ place: _, ...rest }) => rest)).toEqual(all);
});

test('numbers as text and values that are no text are understood', () => {
  const parsed = parse({
    Stop: [group({ ...good, timeout: '30' }, { type: 'http', url: 'http://x', headers: { A: 1 } })],
  });
  expect(parsed.problems).toEqual([]);
  expect(parsed.handlers).toMatchObject([{ timeout: 30 }, { headers: { A: '1' } }]);
});

test('a near miss is named', () => {
  expect(parse({ preToolUse: [group(good)] }).texts).toEqual([
    'There is no hook event named preToolUse; write PreToolUse.',
  ]);
});

test('a plugin file may have a description, or be the events alone', () => {
  for (const raw of [{ description: 'd', hooks: { Stop: [group(good)] } }, { Stop: [group(good)] }])
    expect(parsePluginHooks(raw, origin()).source.groups).toHaveLength(1);
  expect(parsePluginHooks('x', origin()).problems).toHaveLength(1);
});

describe('matchers', () => {
  const table: readonly (readonly [
    event: HookEvent,
    matcher: string | undefined,
    payload: object,
    expected: boolean,
  ])[] = [
    ['PreToolUse', undefined, { tool_name: 'Bash' }, true],
    ['PreToolUse', '', { tool_name: 'Bash' }, true],
    ['PreToolUse', '*', { tool_name: 'Bash' }, true],
    ['PreToolUse', 'Bash', { tool_name: 'Bash' }, true],
    ['PreToolUse', 'bash', { tool_name: 'Bash' }, false],
    ['PreToolUse', 'Edit', { tool_name: 'NotebookEdit' }, false],
    ['PreToolUse', 'Edit|Write', { tool_name: 'Write' }, true],
    ['PreToolUse', 'Write,Edit,MultiEdit', { tool_name: 'Edit' }, true],
    ['PreToolUse', 'Edit | Write', { tool_name: 'Write' }, true],
    ['PreToolUse', 'Task', { tool_name: 'AgentTool' }, true],
    ['PreToolUse', 'Agent', { tool_name: 'AgentTool' }, true],
    ['PreToolUse', 'AgentTool', { tool_name: 'Task' }, true],
    ['PreToolUse', '^Agent$', { tool_name: 'AgentTool' }, true],
    ['PreToolUse', '.*Tool$', { tool_name: 'Agent' }, true],
    ['PreToolUse', 'TodoWrite', { tool_name: 'TaskUpdateTool' }, true],
    ['PreToolUse', 'Notebook.*', { tool_name: 'NotebookEdit' }, true],
    ['PreToolUse', 'Notebook.*', { tool_name: 'Read' }, false],
    ['PreToolUse', 'mcp__memory', { tool_name: 'mcp__memory__get' }, false],
    ['PreToolUse', 'mcp__memory__.*', { tool_name: 'mcp__memory__get' }, true],
    [
      'PreToolUse',
      '^Bash$|^mcp__.+__(read|view|cat)(_file|_files)?$',
      { tool_name: 'mcp__fs__read_file' },
      true,
    ],
    ['PreToolUse', 'Bash(git commit:*)', { tool_name: 'Bash' }, false],
    ['PreToolUse', 'tools:Write AND file_paths:**/*.py', { tool_name: 'Write' }, false],
    ['Stop', 'Bash', {}, true],
    ['UserPromptSubmit', '(((', { prompt: 'x' }, true],
    ['SessionStart', 'startup|resume', { source: 'resume' }, true],
    ['SessionStart', 'init', { source: 'startup' }, false],
    ['SubagentStop', 'explore', { agent_type: 'explore' }, true],
    ['SubagentStart', 'my-agent', { agent_type: 'my-agent' }, true],
    ['Notification', 'permission_prompt|idle_prompt', { notification_type: 'idle_prompt' }, true],
    ['PreCompact', 'manual', { trigger: 'auto' }, false],
    ['StopFailure', 'rate_limit|overloaded', { error: 'overloaded' }, true],
    ['StopFailure', 'rate.*', { error: 'rate_limit' }, true],
    ['ConfigChange', 'user_settings', { source: 'project_settings' }, false],
    ['FileChanged', '.env|.envrc', { file_path: '/a/.envrc' }, true],
    ['FileChanged', '.env', { file_path: '/a/xenv' }, false],
    ['FileChanged', 'package.json', { file_path: '/a/b/package.json' }, true],
    ['FileChanged', '\\.lock$', { file_path: '/a/yarn.lock' }, true],
    ['FileChanged', undefined, { file_path: '/a/b' }, true],
    ['UserPromptExpansion', 'deploy', { command_name: 'deploy' }, true],
  ];
  test.each(table)('%s %s %j: %s', (event, matcher, payload, expected) => {
    expect(compileMatcher(event, matcher)({ ...payload })).toBe(expected);
  });

  test('only an expression that is none is a fault, and only where matchers count', () => {
    expect(matcherFault('PreToolUse', '**')).toContain('never matches');
    expect(matcherFault('PreToolUse', 'Bash(git *)')).toBeUndefined();
    expect(matcherFault('Stop', '((')).toBeUndefined();
  });

  test('literal names are the files to watch', () => {
    expect(watchedNames(['.env|.envrc', undefined, '*', '\\.lock$', '.env'])).toEqual(['.env', '.envrc']);
  });
});
