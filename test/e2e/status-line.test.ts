/** The person's own status line: a script of the kind people have gets the right figures, and its colours show. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reply, say, use } from '../support/replies.ts';
import { scene } from '../support/scene.ts';

const SCRIPT = `#!/usr/bin/env node
const fs = require('fs');
const input = JSON.parse(fs.readFileSync(0, 'utf8'));
fs.writeFileSync(process.env.SEEN + '.new', JSON.stringify(input));
fs.renameSync(process.env.SEEN + '.new', process.env.SEEN);
const { model, cost, workspace, context_window: held, vim } = input;
console.log('\\x1b[36m[' + model.display_name + ']\\x1b[0m ' + (workspace.repo ? workspace.repo.owner + '/' + workspace.repo.name : '-')
  + ' \\x1b[32m+' + cost.total_lines_added + '\\x1b[0m \\x1b[1;31m-' + cost.total_lines_removed + '\\x1b[0m '
  + held.used_percentage + '% ' + process.env.COLUMNS + ' ' + (vim ? vim.mode : '-'));
console.log('second row \\x1b]52;c;b3duZWQ=\\x07\\x1b[2Jend');
`;

test('figures, colours, rows and vim’s mode', async () => {
  await using on = await scene([
    reply([use('Read', { file_path: 'README.md' })], {
      usage: { input_tokens: 900, cache_read_input_tokens: 9000, cache_creation_input_tokens: 100 },
    }),
    reply([use('Write', { file_path: 'new.txt', content: 'one\ntwo\nthree\n' })]),
    reply([use('Edit', { file_path: 'README.md', old_string: 'Sample', new_string: 'Simple' })]),
    reply([say('done')], {
      usage: {
        input_tokens: 1000,
        output_tokens: 7,
        cache_read_input_tokens: 18_000,
        cache_creation_input_tokens: 1000,
      },
    }),
  ]);
  execFileSync('git', ['remote', 'add', 'origin', 'git@github.com:some-people/a.shop.git'], {
    cwd: on.repo.path,
  });
  const script = join(on.repo.root, 'status.cjs');
  const seen = join(on.repo.root, 'seen.json');
  writeFileSync(script, SCRIPT);
  chmodSync(script, 0o755);
  await on.repo.write(
    `${on.repo.state}/settings.json`,
    JSON.stringify({ statusLine: { type: 'command', command: script }, editorMode: 'vim' }),
  );
  await using screen = await on.screen(['--permission-mode', 'acceptEdits'], { env: { SEEN: seen } });
  await screen.waitFor('[Sonnet 5.5] some-people/a.shop +0 -0 0% 120 INSERT');
  screen.type('go\r');
  await screen.waitFor('done');
  await screen.waitFor('[Sonnet 5.5] some-people/a.shop +4 -1 2% 120 INSERT');
  const input = JSON.parse(readFileSync(seen, 'utf8'));
  expect(input).toMatchObject({
    prompt_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    model: { id: 'claude-sonnet-5-5', display_name: 'Sonnet 5.5' },
    workspace: { repo: { host: 'github.com', owner: 'some-people', name: 'a.shop' } },
    cost: { total_lines_added: 4, total_lines_removed: 1, total_api_duration_ms: expect.any(Number) },
    context_window: {
      used_percentage: 2,
      remaining_percentage: 98,
      current_usage: {
        input_tokens: 1000,
        output_tokens: 7,
        cache_read_input_tokens: 18_000,
        cache_creation_input_tokens: 1000,
      },
    },
    vim: { mode: 'INSERT' },
  });
  expect(input.cost.total_api_duration_ms).toBeGreaterThan(0);
  expect(input.cost.total_api_duration_ms).toBeLessThanOrEqual(input.cost.total_duration_ms);
  screen.key('esc');
  await screen.waitFor('120 NORMAL');
  expect(screen.screen().join('\n')).toContain('second row end');
  const row = screen.screen().findIndex((text) => text.includes('[Sonnet 5.5]'));
  const cells = screen.cells()[row] ?? [];
  const looks = (letter: string) =>
    JSON.stringify({ ...cells.find(({ text }) => text === letter), text: '' });
  expect(new Set([looks('['), looks('+'), looks('-')]).size).toBe(3);
  expect(screen.raw()).not.toContain('\x1b]52;');
});
