import { expect, test } from 'vitest';
import { breaches } from '../support/invariants.ts';
import { modelServer } from '../support/model-server.ts';
import { leftovers, tagged } from '../support/processes.ts';
import { reply, say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice, startCoppice } from '../support/run-binary.ts';

test('a program killed during a command takes it along, and the conversation goes on without running it again', async () => {
  await using server = await modelServer();
  await using place = await tempRepo({ server, env: { COPPICE_SANDBOXED: '1' } });
  const trusting = ['--permission-mode', 'bypassPermissions'];
  server.script(
    reply([say('I wait.'), use('Bash', { command: 'echo once >> count.txt; sleep 30; true' }, 'toolu_wait')]),
    say('Went on.'),
  );
  const running = startCoppice(place, ['-p', 'wait a little', ...trusting]);
  running.endInput();
  await expect
    .poll(() => tagged(place.tag).some(({ command }) => command.includes('sleep 30')), { timeout: 10_000 })
    .toBe(true);
  running.kill('SIGKILL');
  await running.ended;
  expect(await leftovers(place.tag)).toEqual([]);

  const ran = await runCoppice(place, ['-p', 'go on', '--continue', ...trusting]);
  expect(ran).toMatchObject({ code: 0, stdout: 'Went on.\n' });
  const resumed = server.requests[1];
  if (!resumed) throw new Error('Nothing was asked after the resume.');
  expect(resumed.results).toEqual([
    { id: 'toolu_wait', error: true, text: expect.stringMatching(/interrupted|ended/i) },
  ]);
  expect(resumed.prompt).toContain('go on');
  expect(await place.read('count.txt')).toBe('once\n');
  expect(
    await breaches({ place, server, kept: ['wait a little', 'I wait.', 'go on'], resumed, ending: 'killed' }),
  ).toEqual([]);
});
