import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import { say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';
import { openTerminal } from '../support/terminal.ts';

const plan = '# Greet\n\nWrite the greeting.\n\n## Files\n\n- greeting.txt\n';
const write = use('Write', { file_path: 'greeting.txt', content: 'hello\n' });

test('a plan is proposed, nothing runs before a person approves it, and then the same turn carries it out', async () => {
  await using server = await modelServer([
    use('EnterPlanModeTool', {}),
    [use('Bash', { command: 'touch early.txt' }), write],
    use('ExitPlanModeTool', { plan }),
    write,
    say('All done.'),
  ]);
  await using place = await tempRepo({ server });
  await using terminal = await openTerminal(place, ['--trust']);
  await terminal.waitFor('claude-');
  terminal.type('greet');
  terminal.key('enter');
  await terminal.waitFor('Write the greeting.');
  expect(['early.txt', 'greeting.txt'].map((file) => existsSync(join(place.path, file)))).toEqual([
    false,
    false,
  ]);
  terminal.key('enter');
  await terminal.waitFor('All done.');
  expect(await place.read('greeting.txt')).toBe('hello\n');
  expect(server.requests[1]?.tools).toEqual(
    expect.arrayContaining(['EnterPlanModeTool', 'ExitPlanModeTool']),
  );
  expect(server.requests[2]?.results.map(({ error }) => error)).toEqual([true, true]);
  expect(server.requests[3]?.results[0]?.text).toContain('Write the greeting.');
  expect(server.violations).toEqual([]);
  // By its title, and with its steps, also where the conversation is opened again.
  const kept = /● ExitPlanMode Greet +Plan approved\n +└ Write the greeting\.\n\n +Files/;
  expect(terminal.text()).toMatch(kept);
  terminal.type('/exit\r');
  await terminal.exit();
  await using again = await openTerminal(place, ['--trust', '--continue']);
  await again.waitFor(kept);
});

const yes = JSON.stringify({
  hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
});
const approving = JSON.stringify({
  hooks: {
    PermissionRequest: [
      { matcher: 'ExitPlanModeTool', hooks: [{ type: 'command', command: `echo '${yes}'` }] },
    ],
  },
});

test('without a person the plan stands and the run ends; a hook may approve it', async () => {
  const run = async (...flags: string[]) => {
    await using server = await modelServer([use('ExitPlanModeTool', { plan }), write, say('All done.')]);
    await using place = await tempRepo({ server });
    const { code } = await runCoppice(place, ['-p', 'greet', '--permission-mode', 'plan', ...flags]);
    return [code, server.requests.length, existsSync(join(place.path, 'greeting.txt'))];
  };
  expect(await run()).toEqual([0, 1, false]);
  expect(await run('--settings', approving)).toEqual([0, 3, true]);
});
