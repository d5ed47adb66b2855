/** The sandbox in the program: what runs unasked in it, what stays outside, and what happens where there is none. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Line, modelServer } from '../support/model-server.ts';
import { reply, say, use } from '../support/replies.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';
import { sandboxHere } from '../support/sandbox-here.ts';

const able = sandboxHere();

const play = async (
  settings: object,
  script: (place: TempRepo) => readonly Line[],
  check: (place: TempRepo, results: readonly string[], output: string) => void,
  env: Record<string, string> = {},
  args: readonly string[] = [],
): Promise<void> => {
  await using server = await modelServer();
  await using place = await tempRepo({ server, env });
  await place.write(join(place.state, 'settings.json'), JSON.stringify(settings));
  server.script(...script(place), say('done'));
  const ran = await runCoppice(place, ['-p', 'go', '--output-format', 'json', ...args]);
  expect(server.violations).toEqual([]);
  check(
    place,
    server.requests.flatMap(({ results }) => results.map(({ text }) => text)),
    `${ran.stdout}\n${ran.stderr}`,
  );
};
const bash = (command: string, more: object = {}) => use('Bash', { command, ...more });

describe.skipIf(!able)('with the sandbox on', () => {
  it('commands run unasked inside, and touch only the workspace', () =>
    play(
      { sandbox: { enabled: true } },
      ({ root, home }) => [
        bash('echo in > in.txt && git add in.txt && git commit -qm in && git log --oneline | head -1'),
        bash(`echo out > ${root}/out.txt`),
        bash(`echo evil >> ${home}/.coppice/settings.json`),
        bash('mkdir -p .coppice; echo "{}" > .coppice/settings.json'),
        bash('sleep 0.2; echo away > away.txt; echo evil > ../away.txt', { run_in_background: true }),
        bash('sleep 1; cat away.txt'),
      ],
      ({ path, root, home }, results, output) => {
        expect(results[0]).toContain(' in');
        expect(existsSync(join(root, 'out.txt'))).toBe(false);
        expect(existsSync(join(root, 'away.txt'))).toBe(false);
        expect(existsSync(join(path, '.coppice'))).toBe(false);
        expect(readFileSync(join(path, 'away.txt'), 'utf8')).toBe('away\n');
        expect(readFileSync(join(home, '.coppice/settings.json'), 'utf8')).not.toContain('evil');
        // What is protected asks inside too, and nobody is there: all else ran unasked.
        expect(output.match(/"tool_name":"Bash"/g)).toHaveLength(2);
      },
    ));

  it('rules that deny and ask still count, and excluded commands ask', () =>
    play(
      {
        sandbox: { enabled: true, excludedCommands: ['touch'] },
        permissions: { deny: ['Bash(rm *)'], ask: ['Bash(mv *)'] },
      },
      () => [reply([bash('rm README.md'), bash('mv README.md x'), bash('touch y'), bash('cp README.md z')])],
      ({ path }, results) => {
        expect(results[0]).toContain('The rule Bash(rm *) forbids');
        expect(results[1]).toContain('needs an allow rule');
        expect(results[2]).toContain('needs an allow rule');
        expect([existsSync(join(path, 'y')), existsSync(join(path, 'z'))]).toEqual([false, true]);
      },
    ));

  it('autoAllowBashIfSandboxed: false leaves the questions', () =>
    play(
      { sandbox: { enabled: true, autoAllowBashIfSandboxed: false } },
      () => [bash('touch y')],
      ({ path }, results) => {
        expect(results[0]).toContain('needs an allow rule');
        expect(existsSync(join(path, 'y'))).toBe(false);
      },
    ));

  it('plan mode runs what only reads, with nothing to write on', () =>
    play(
      { sandbox: { enabled: true } },
      () => [reply([bash('cat README.md'), bash('touch y')])],
      ({ path }, results) => {
        expect(results[0]).toContain('# Sample');
        expect(results[1]).toContain('Plan mode changes nothing');
        expect(existsSync(join(path, 'y'))).toBe(false);
      },
      {},
      ['--permission-mode', 'plan'],
    ));
});

describe('where there is no sandbox', () => {
  /** A PATH with what the program needs, without bubblewrap. */
  const bare = async (place: TempRepo): Promise<string> => {
    const folder = join(place.root, 'bin');
    await mkdir(folder);
    for (const name of ['bash', 'git', 'cat', 'touch', 'sleep', 'tr', 'grep'])
      await symlink(
        (process.env.PATH ?? '')
          .split(delimiter)
          .map((one) => join(one, name))
          .find(existsSync) ?? `/usr/bin/${name}`,
        join(folder, name),
      );
    return folder;
  };
  it.each([
    [
      'required refuses to run commands and says what to do',
      'required',
      'sandbox.required',
      ['--allowedTools', 'Bash'],
    ],
    ['enabled asks as usual and says so once', 'enabled', 'needs an allow rule', []],
  ] as const)('%s', async (_, key, told, args) => {
    await using server = await modelServer([use('Bash', { command: 'touch y' }), say('done')]);
    await using place = await tempRepo({ server });
    await place.write(join(place.state, 'settings.json'), JSON.stringify({ sandbox: { [key]: true } }));
    const ran = await runCoppice(place, ['-p', 'go', ...args], { env: { PATH: await bare(place) } });
    expect(server.requests[1]?.results[0]?.text).toContain(told);
    expect(ran.stderr).toContain('The sandbox is not available');
    expect(existsSync(join(place.path, 'y'))).toBe(false);
  });
});
