/** Questions in a terminal: asked, remembered, refused with a comment, planned, edited, approved; and what hooks answer. */
import { existsSync } from 'node:fs';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { say, use } from '../support/replies.ts';
import { resultOf, type Scene, scene, until } from '../support/scene.ts';
import type { Terminal } from '../support/terminal.ts';

const bash = (command: string) => use('Bash', { command });
const submit = async (terminal: Terminal, text: string): Promise<void> => {
  terminal.type(text);
  await terminal.waitFor(text);
  await terminal.settle(30);
  terminal.key('enter');
};
const rulesIn = async (path: string): Promise<unknown> =>
  JSON.parse(await readFile(path, 'utf8')).permissions?.allow;

describe('a permission question', () => {
  it('shows the whole command with its escapes, and a yes runs it once', async () => {
    const command = "touch 'a\u202eb' && touch yes.txt";
    await using on = await scene([bash(command), say('done'), bash('touch yes.txt'), say('asked again')]);
    await using terminal = await on.screen();
    await submit(terminal, 'go');
    await terminal.waitFor('1. Yes');
    expect(terminal.text()).toContain('<U+202E>');
    expect(terminal.text()).toContain('touch yes.txt');
    terminal.key('1');
    await terminal.waitFor('done');
    expect(existsSync(join(on.repo.path, 'yes.txt'))).toBe(true);
    await submit(terminal, 'once more');
    await terminal.waitFor('1. Yes');
    terminal.key('esc');
  });

  it.each([
    ['in this session', 3, undefined],
    ['in this project, for me', 0, '.coppice/settings.local.json'],
    ['in this project, for everyone', 1, '.coppice/settings.json'],
    ['everywhere', 2, 'HOME'],
  ] as const)('remembers %s', async (label, steps, file) => {
    await using on = await scene([bash('touch one.txt'), say('first'), bash('touch one.txt'), say('second')]);
    await using terminal = await on.screen();
    await submit(terminal, 'go');
    await terminal.waitFor('again for');
    terminal.key('a');
    for (let step = 0; step < steps; step++) terminal.key('right');
    await terminal.waitFor(label);
    terminal.key('enter');
    await terminal.waitFor('first');
    await submit(terminal, 'next');
    await terminal.waitFor('second');
    expect(on.server.requests[3]?.results[0]).toMatchObject({ error: false });
    if (file) {
      const path = file === 'HOME' ? join(on.repo.state, 'settings.json') : join(on.repo.path, file);
      expect(await rulesIn(path)).toEqual(['Bash(touch one.txt)']);
    }
    expect(await on.repo.git('status', '--porcelain')).not.toContain('settings.local.json');
  });

  it('goes on when a rule cannot be saved, and says why', async () => {
    await using on = await scene([bash('touch one.txt'), say('all finished')]);
    await on.repo.write('.coppice/settings.local.json', '{ this is broken');
    await using terminal = await on.screen();
    await submit(terminal, 'go');
    await terminal.waitFor('again for');
    terminal.key('a');
    terminal.key('enter');
    await terminal.waitFor('all finished');
    await terminal.waitFor('was not saved');
    expect(existsSync(join(on.repo.path, 'one.txt'))).toBe(true);
    expect(await on.repo.read('.coppice/settings.local.json')).toBe('{ this is broken');
  });

  it('refused with a comment goes on, and the model reads it', async () => {
    await using on = await scene([bash('touch no.txt'), say('understood')]);
    await using terminal = await on.screen();
    await submit(terminal, 'go');
    await terminal.waitFor('1. Yes');
    terminal.key('n');
    terminal.type('use mkdir instead');
    await terminal.waitFor('use mkdir instead');
    terminal.key('enter');
    await terminal.waitFor('understood');
    expect(on.server.requests[1]?.results[0]?.text).toBe(
      'The user refused this call and says: use mkdir instead',
    );
    expect(existsSync(join(on.repo.path, 'no.txt'))).toBe(false);
  });
});

describe('bypassPermissions', () => {
  const options = { env: { COPPICE_SANDBOXED: '1' } };
  it('is warned about once, and a no leaves', async () => {
    await using on = await scene([], options);
    const open = () => on.screen(['--permission-mode', 'bypassPermissions']);
    {
      await using first = await open();
      await first.waitFor('Run without any permission question?');
      first.key('down');
      first.key('enter');
      expect((await first.exit()).code).toBe(0);
    }
    {
      await using second = await open();
      await second.waitFor('Run without any permission question?');
      second.key('enter');
      await second.waitUntilGone('Run without any permission question?');
      await second.waitFor(/bypass/i);
    }
    await using third = await open();
    await third.waitFor(/bypass/i);
    expect(third.text()).not.toContain('Run without any permission question?');
  });

  it('is refused for root outside a sandbox', async () => {
    if (process.getuid?.() !== 0) return;
    await using on = await scene();
    for (const flag of [['--permission-mode', 'bypassPermissions'], ['--dangerously-skip-permissions']]) {
      const ran = await on.ask('go', ...flag);
      expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('refused for root')]);
    }
  });
});

const PLAN = '# The plan\n\n1. Greet well.\n\n## Files\n\n- `src/main.ts`\n';
const EDIT = { file_path: 'src/main.ts', old_string: 'hello', new_string: 'goodbye' };

describe('planning in a terminal', () => {
  const planned = (on: Scene) => join(on.repo.path, 'src/main.ts');
  it('shows the plan, takes feedback, then the approved plan is carried out', async () => {
    const exit = use('ExitPlanModeTool', { plan: PLAN });
    await using on = await scene([exit, exit, use('Edit', EDIT), say('finished')]);
    await using terminal = await on.screen(['--permission-mode', 'plan']);
    await submit(terminal, 'go');
    await terminal.waitFor('Greet well.');
    terminal.key('3');
    terminal.type('be friendlier');
    await terminal.waitFor('be friendlier');
    terminal.key('enter');
    await until('the second plan', () => on.server.requests.length === 2);
    expect(on.server.requests[1]?.results[0]?.text).toContain('says: be friendlier');
    await terminal.waitFor('2. Yes, and ask before each edit');
    terminal.key('1');
    await terminal.waitFor('finished');
    expect(on.server.requests[2]?.results[0]?.text).toContain('The mode is now acceptEdits');
    expect(await readFile(planned(on), 'utf8')).toContain('goodbye');
    const kept = await Promise.all(on.transcripts().map((path) => readFile(path, 'utf8')));
    expect(kept.join()).toContain('1. Greet well.');
  });

  it('lets the person edit the plan first, and the model gets what was edited', async () => {
    await using on = await scene([use('ExitPlanModeTool', { plan: PLAN }), say('finished')]);
    const editor = join(on.repo.root, 'editor.sh');
    await on.repo.write(editor, `#!/bin/sh\nsed -i 's/Greet well/Greet twice/' "$1"\n`);
    await chmod(editor, 0o755);
    await using terminal = await on.screen(['--permission-mode', 'plan'], { env: { EDITOR: editor } });
    await submit(terminal, 'go');
    await terminal.waitFor('Greet well.');
    terminal.key('ctrl+g');
    await terminal.waitFor('Greet twice.');
    terminal.key('2');
    await terminal.waitFor('finished');
    const told = JSON.parse(on.server.requests[1]?.results[0]?.text ?? '{}');
    expect(told).toMatchObject({ planWasEdited: true, plan: expect.stringContaining('Greet twice.') });
    expect(told.message).toContain('The mode is now default');
  });
});

describe('a PermissionRequest hook', () => {
  const answering = (decision: object) => ({
    hooks: {
      PermissionRequest: [
        {
          hooks: [
            {
              type: 'command',
              command: `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } })}'`,
            },
          ],
        },
      ],
    },
  });
  const withHook = async (on: Scene, decision: object): Promise<void> =>
    on.repo.write(join(on.repo.state, 'settings.json'), JSON.stringify(answering(decision)));

  it('may change the rules for later calls', async () => {
    await using on = await scene([bash('touch a'), bash('touch b'), bash('rm b'), say('done')]);
    const rules = (behavior: string, ruleContent: string) => ({
      type: 'addRules',
      rules: [{ toolName: 'Bash', ruleContent }],
      behavior,
      destination: 'session',
    });
    await withHook(on, {
      behavior: 'allow',
      updatedPermissions: [rules('allow', 'touch *'), rules('deny', 'rm *')],
    });
    const result = resultOf(await on.ask('go', '--output-format', 'json'));
    expect([existsSync(join(on.repo.path, 'a')), existsSync(join(on.repo.path, 'b'))]).toEqual([true, true]);
    expect(on.server.requests[3]?.results[0]?.text).toContain('The rule Bash(rm *) forbids');
    expect(result.permission_denials).toMatchObject([{ tool_name: 'Bash', tool_input: { command: 'rm b' } }]);
  });

  it('that is absent leaves a no with its reason, counted in the result', async () => {
    await using on = await scene([
      bash('touch a'),
      use('Write', { file_path: 'b', content: '' }),
      say('done'),
    ]);
    const result = resultOf(await on.ask('go', '--output-format', 'json'));
    expect(result).toMatchObject({
      is_error: false,
      permission_denials: [
        { tool_name: 'Bash', tool_input: { command: 'touch a' } },
        { tool_name: 'Write', tool_input: { content: '' } },
      ],
    });
    expect(on.server.requests[1]?.results[0]?.text).toContain('needs an allow rule');
  });
});
