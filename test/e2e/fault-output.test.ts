/** Huge, binary and endless output: bounded in memory, in what the model reads, and on disk (F14). */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { peakMegabytes } from '../support/processes.ts';
import { say, use } from '../support/replies.ts';
import { type Scene, scene, untilFile } from '../support/scene.ts';

const BASH = ['--dangerously-skip-permissions'];
const env = { COPPICE_SANDBOXED: '1' };
const MOST = 30_000;
const KEPT = 64 * 1024 * 1024;

const outputs = (on: Scene): readonly string[] =>
  readdirSync(on.repo.state, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('/outputs/') && name.endsWith('.txt'))
    .map((name) => join(on.repo.state, name));

const commands: Readonly<Record<string, { command: string; timeout?: number; tells: RegExp }>> = {
  'lines without end': { command: 'yes | head -c 300M', tells: /^y\ny\n[\s\S]*left out[\s\S]*y\ny$/ },
  'random bytes': { command: 'head -c 100M /dev/urandom', tells: /binary/ },
  'yes until its limit': { command: 'yes', timeout: 1500, tells: /Stopped at its time limit/ },
  'one line of 50 MB': { command: "head -c 50M /dev/zero | tr '\\0' x", tells: /^x+\s+\[.*left out/ },
};

describe('F14', () => {
  test.each(Object.entries(commands))('%s', async (_, { command, timeout, tells }) => {
    let peak: number | undefined;
    let pid = 0;
    await using on = await scene(
      [
        use('Bash', { command, ...(timeout ? { timeout } : {}) }),
        () => {
          peak = peakMegabytes(pid);
          return say('seen');
        },
      ],
      { env },
    );
    const run = on.start(['-p', 'go', ...BASH]);
    pid = run.pid;
    run.endInput();
    const ran = await run.ended;
    expect(ran.stdout).toBe('seen\n');
    const text = on.server.requests[1]?.results[0]?.text ?? '';
    expect(text.replace(/^Exit code \d+\n/, '')).toMatch(tells);
    expect(text.length).toBeLessThan(MOST + 1000);
    for (const file of outputs(on)) expect(statSync(file).size).toBeLessThanOrEqual(KEPT);
    if (process.platform === 'linux') expect(peak).toBeLessThan(700);
    expect(await on.breaches({ kept: ['go', 'seen'] })).toEqual([]);
  });

  test('a background command that floods is capped, and the screen answers meanwhile', async () => {
    await using on = await scene(
      [
        use('Bash', {
          command: 'yes | head -c 100M; echo over > over.txt; sleep 100',
          run_in_background: true,
        }),
        say('it runs'),
      ],
      { env },
    );
    await using screen = await on.screen(['--allowedTools', 'Bash', '--permission-mode', 'acceptEdits']);
    screen.type('start\r');
    await screen.waitFor('it runs');
    await untilFile(join(on.repo.path, 'over.txt'), 'over');
    screen.type('still here?');
    await screen.waitFor('still here?', 2000);
    if (process.platform === 'linux') expect(peakMegabytes(screen.pid)).toBeLessThan(700);
    screen.kill('SIGTERM');
    const exit = await screen.exit();
    const [file = ''] = outputs(on);
    expect(statSync(file).size).toBeLessThanOrEqual(KEPT);
    expect(readFileSync(file, 'latin1').includes('bytes are missing here')).toBe(true);
    expect(await on.breaches({ kept: ['start', 'it runs'], terminal: { raw: screen.raw, exit } })).toEqual(
      [],
    );
  });
});
