/** No git, no repository, no home, a full disk, a folder that vanished: one sentence each, and nothing written elsewhere. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { breaches } from '../support/invariants.ts';
import { say, use } from '../support/replies.ts';
import { COPPICE, type RunOptions } from '../support/run-binary.ts';
import { resultOf, scene, until } from '../support/scene.ts';

const JSON_OUT = ['--output-format', 'json'];
const BASH = ['--allowedTools', 'Bash', '--permission-mode', 'acceptEdits'];
const isRoot = process.getuid?.() === 0;

test('without git on PATH it works', async () => {
  await using on = await scene([use('Bash', { command: 'echo hi' }), say('done')]);
  const bin = join(on.repo.root, 'bin');
  mkdirSync(bin);
  for (const name of ['bash', 'sh', 'cat', 'grep', 'tr', 'sleep', 'node'])
    symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(bin, name));
  const ran = await on.run(['-p', 'go', ...BASH], { env: { PATH: bin } });
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, 'done\n', '']);
});

test('a temporary folder that is not there is not used', async () => {
  await using on = await scene([use('Bash', { command: 'echo hi' }), say('done')]);
  const ran = await on.run(['-p', 'go', ...BASH], { env: { TMPDIR: '/nonexistent' } });
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, 'done\n', '']);
});

test('outside of a repository it works', async () => {
  await using on = await scene([use('Bash', { command: 'echo hi' }), say('done')]);
  const plain = join(on.repo.root, 'plain');
  mkdirSync(plain);
  const ran = await on.run(['-p', 'go', ...BASH], { cwd: plain });
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, 'done\n', '']);
  expect(on.sent(0)).toContain('Git repository: no');
  expect(readdirSync(plain)).toEqual([]);
});

describe('F12: a home that cannot be used', () => {
  const works = async (
    break_: (on: Awaited<ReturnType<typeof scene>>) => Readonly<Record<string, string | undefined>>,
  ) => {
    await using on = await scene([say('still here')]);
    const env = break_(on);
    const before = readdirSync(on.repo.path);
    const ran = await on.run(['-p', 'go'], { env });
    expect([ran.code, ran.stdout]).toEqual([0, 'still here\n']);
    expect(ran.stderr).toMatch(/^[^\n]*will not be saved[^\n]*\n$/);
    expect(readdirSync(on.repo.path)).toEqual(before);
    expect(on.server.violations).toEqual([]);
  };
  test('HOME unset', () => works(() => ({ HOME: undefined })));
  test('HOME empty', () => works(() => ({ HOME: '' })));
  test('a folder where nothing can be made', () =>
    works(() => ({ COPPICE_CONFIG_DIR: '/proc/nonexistent' })));
  test('HOME=/proc, where making folders never ends', () => works(() => ({ HOME: '/proc' })));
  test('HOME=/nonexistent', () => works(() => ({ HOME: '/nonexistent' })));
  test('a file in its place', () =>
    works((on) => {
      writeFileSync(on.repo.state, 'not a folder');
      return {};
    }));
  test('owned by somebody else, or read-only', () =>
    works((on) => {
      if (!isRoot) {
        chmodSync(on.repo.home, 0o500);
        return {};
      }
      return { COPPICE_CONFIG_DIR: '/proc/self/coppice' };
    }));

  test('one that may not be looked into is told of once, and by the doctor', async () => {
    await using on = await scene([say('still here')]);
    mkdirSync(on.repo.state);
    await on.repo.write(`${on.repo.state}/settings.json`, '{}');
    await on.repo.write(`${on.repo.state}/AGENTS.md`, 'Be kind.');
    // Root may look everywhere; the program then runs as somebody else.
    if (isRoot)
      for (let path = on.repo.home; path !== '/tmp' && path !== '/'; path = dirname(path))
        chmodSync(path, 0o777);
    for (const path of [on.repo.path, on.repo.tmp]) chmodSync(path, 0o777);
    chmodSync(on.repo.state, 0);
    const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] as const;
    const program = [process.execPath, COPPICE] as const;
    const options: RunOptions = isRoot ? { command: [...asNobody, ...program] } : {};
    const ran = await on.run(['-p', 'go'], options);
    const doctor = await on.run(['doctor'], options);
    chmodSync(on.repo.state, 0o700);
    expect([ran.code, ran.stdout]).toEqual([0, 'still here\n']);
    expect(ran.stderr).toMatch(/^The session will not be saved: [^\n]*\.coppice cannot be read[^\n]*\n$/);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout.match(/\.coppice/g)).toHaveLength(2);
    expect(doctor.stdout).toMatch(/✗ home +\S+\.coppice cannot be read/);
  });

  test.skipIf(!has('bwrap'))('a read-only file system', async () => {
    await using on = await scene([say('still here')]);
    mkdirSync(on.repo.state, { mode: 0o700 });
    const ran = await on.run(['-p', 'go'], {
      command: [
        'bwrap',
        '--dev-bind',
        '/',
        '/',
        '--ro-bind',
        on.repo.home,
        on.repo.home,
        process.execPath,
        COPPICE,
      ],
    });
    expect([ran.code, ran.stdout]).toEqual([0, 'still here\n']);
    expect(ran.stderr).toMatch(/^[^\n]*will not be saved[^\n]*read-only[^\n]*\n$/);
  });

  test('on the screen it is said once, and everything works', async () => {
    await using on = await scene([say('still here')]);
    writeFileSync(on.repo.state, 'not a folder');
    await using screen = await on.screen();
    await screen.waitFor('will not be saved');
    screen.type('hello\r');
    await screen.waitFor('still here');
    screen.kill('SIGTERM');
    const exit = await screen.exit();
    expect(screen.text().split('will not be saved')).toHaveLength(2);
    expect(exit.code).toBe(143);
  });
});

describe.skipIf(!has('bwrap'))('F11: a full disk', () => {
  /** A home on 256 KB, of which `filled` are taken; everything else as it is. */
  const tight = (on: Awaited<ReturnType<typeof scene>>, script: string): [string, ...string[]] => [
    'bwrap',
    '--dev-bind',
    '/',
    '/',
    '--size',
    '262144',
    '--tmpfs',
    on.repo.state,
    '/bin/sh',
    '-c',
    script,
    'sh',
    process.execPath,
    COPPICE,
  ];

  test('the answer still comes, the failure is told, what was saved stays whole, and resume works', async () => {
    const long = 'a long answer '.repeat(3000);
    await using on = await scene([say('short'), say(long), say('resumed')]);
    const saved = join(on.repo.root, 'saved');
    const script = [
      'echo "{}" > "$HOME/.coppice/settings.json"; chmod 700 "$HOME/.coppice"; chmod 600 "$HOME/.coppice/settings.json"',
      '"$@" -p first --session-id 11111111-2222-4333-8444-555555555555 > "$TMPDIR/one" 2> "$TMPDIR/one.err"; echo $? >> "$TMPDIR/one"',
      'head -c 240000 /dev/zero > "$HOME/.coppice/filler"; cat /dev/zero > "$HOME/.coppice/filler2" 2>/dev/null; head -c 3000 "$HOME/.coppice/filler2" > /dev/null; truncate -s -8192 "$HOME/.coppice/filler2"',
      '"$@" -p second --resume 11111111-2222-4333-8444-555555555555 > "$TMPDIR/two" 2> "$TMPDIR/two.err"; echo $? >> "$TMPDIR/two"',
      'rm "$HOME/.coppice/filler" "$HOME/.coppice/filler2"',
      '"$@" -p third --resume 11111111-2222-4333-8444-555555555555 > "$TMPDIR/three" 2> "$TMPDIR/three.err"; echo $? >> "$TMPDIR/three"',
      `cp -a "$HOME/.coppice" '${saved}'`,
    ].join('\n');
    mkdirSync(on.repo.state, { mode: 0o700 });
    await on.run([], { command: tight(on, script) });
    const out = (name: string) => readFileSync(join(on.repo.tmp, name), 'utf8');
    expect(out('one')).toBe('short\n0\n');
    expect(out('two')).toBe(`${long}\n1\n`);
    expect(out('two.err')).toMatch(/no space left/);
    expect(out('two.err')).toContain(on.repo.state);
    expect(out('two.err').trim().split('\n').length).toBeLessThanOrEqual(2);
    expect(out('three.err')).toBe('');
    expect(out('three')).toBe('resumed\n0\n');
    expect(on.sent(-1)).toContain('short');
    expect(on.server.violations).toEqual([]);
    expect(readFileSync(join(saved, 'settings.json'), 'utf8')).toBe('{}\n');
  });

  test('in mid-turn, on the screen: said once, and saved whole as soon as there is room', async () => {
    const long = 'a long answer '.repeat(300);
    await using on = await scene([
      use('Bash', { command: 'cat /dev/zero > "$HOME/.coppice/filler"; echo filled' }),
      say(long),
      use('Bash', { command: 'rm "$HOME/.coppice/filler"' }),
      say('there is room'),
    ]);
    const saved = join(on.repo.root, 'saved');
    mkdirSync(on.repo.state, { mode: 0o700 });
    await using screen = await on.screen(['--allowedTools', 'Bash'], {
      command: tight(on, `chmod 700 "$HOME/.coppice"; "$@"; cp -a "$HOME/.coppice" '${saved}'`),
    });
    screen.type('fill it\r');
    await screen.waitFor(/1\. Yes/);
    screen.key('enter');
    await screen.waitFor(/This session is not being saved[^.]*\.coppice/);
    await screen.waitFor('answer a long');
    screen.type('empty it\r');
    await screen.waitFor(/1\. Yes/);
    screen.key('enter');
    await screen.waitFor('saved again, all of it');
    await screen.waitFor('there is room');
    screen.type('/exit\r');
    const exit = await screen.exit();
    expect(screen.text().split('not being saved')).toHaveLength(2);
    const place = { ...on.repo, state: saved };
    const kept = ['fill it', 'No space left', long.trim(), 'empty it', 'there is room'];
    expect(await breaches({ place, server: on.server, kept, terminal: { raw: screen.raw, exit } })).toEqual(
      [],
    );
  });

  test('for output only: the command keeps its exit code, and the missing output is told', async () => {
    await using on = await scene([use('Bash', { command: 'seq 200000; exit 3' }), say('seen')]);
    mkdirSync(on.repo.state, { mode: 0o700 });
    await on.run(['-p', 'go', ...BASH], { command: tight(on, 'chmod 700 "$HOME/.coppice"; exec "$@"') });
    const [result] = on.server.requests[1]?.results ?? [];
    expect(result?.text).toMatch(/^Exit code 3\n1\n2\n/);
    expect(result?.text).toMatch(/200000/);
    expect(result?.text).toMatch(/no space left|ENOSPC/);
  });
});

describe('a folder that vanished', () => {
  test('before the start', async () => {
    await using on = await scene([say('hm')]);
    const gone = join(on.repo.root, 'gone');
    const ran = await on.run(['-p', 'go'], {
      command: [
        '/bin/sh',
        '-c',
        `mkdir '${gone}'; cd '${gone}'; rmdir '${gone}'; exec "$@"`,
        'sh',
        process.execPath,
        COPPICE,
      ],
    });
    expect(ran.code).toBe(1);
    expect(await on.breaches({ failure: { ran, names: gone } })).toEqual([]);
    expect(ran.stderr.trim().split('\n')).toHaveLength(1);
  });

  test('while it works', async () => {
    await using on = await scene();
    const place = join(on.repo.root, 'short-lived');
    mkdirSync(place);
    on.server.script(() => {
      rmSync(place, { recursive: true });
      return use('Bash', { command: 'echo hi' });
    }, say('too bad'));
    const ran = await on.run(['-p', 'go', ...BASH], { cwd: place });
    expect([ran.code, ran.stdout]).toEqual([0, 'too bad\n']);
    expect(on.server.requests[1]?.results[0]).toMatchObject({
      error: true,
      text: expect.stringContaining('does not exist'),
    });
  });

  test('before a resume', async () => {
    await using on = await scene([say('one'), say('two')]);
    const place = join(on.repo.root, 'short-lived');
    mkdirSync(place);
    const first = resultOf(await on.run(['-p', 'go', ...JSON_OUT], { cwd: place }));
    rmSync(place, { recursive: true });
    const ran = await on.ask('on', '--resume', String(first.session_id));
    expect([ran.code, ran.stdout]).toEqual([0, 'two\n']);
    expect(ran.stderr).toContain('short-lived is gone');
  });
});

describe('pipes', () => {
  test('a closed output pipe ends the run quietly', async () => {
    await using on = await scene([use('Bash', { command: 'echo up > up.txt; sleep 1' }), say('never read')]);
    const run = await on.run(['-p', 'go', '--output-format', 'stream-json', '--verbose', ...BASH], {
      command: [
        '/bin/bash',
        '-c',
        `set -o pipefail; "$@" | head -n 1 > /dev/null; echo "$?" > '${join(on.repo.root, 'code')}'`,
        'bash',
        process.execPath,
        COPPICE,
      ],
    });
    expect(run.stderr).toBe('');
    expect(readFileSync(join(on.repo.root, 'code'), 'utf8')).not.toBe('0\n');
    expect(await on.breaches({ kept: ['go'] })).toEqual([]);
  });

  test('a slow reader gets every byte', async () => {
    const text = Array.from({ length: 40_000 }, (_, at) => `line ${at}`).join('\n');
    await using on = await scene([say(text)]);
    const out = join(on.repo.root, 'out');
    await on.run(['-p', 'go'], {
      command: [
        '/bin/bash',
        '-c',
        `"$@" | { sleep 0.7; cat > '${out}'; }`,
        'bash',
        process.execPath,
        COPPICE,
      ],
    });
    expect(readFileSync(out, 'utf8')).toBe(`${text}\n`);
  });

  test('a closed standard error changes nothing', async () => {
    await using on = await scene([say('done')]);
    const ran = await on.run(['-p', 'go', '--debug'], {
      command: ['/bin/bash', '-c', '"$@" 2> >(exec 0<&-; exit)', 'bash', process.execPath, COPPICE],
    });
    expect([ran.code, ran.stdout]).toEqual([0, 'done\n']);
  });
});

describe('terminals', () => {
  test('NO_COLOR: no colour on the screen', async () => {
    await using on = await scene([say('**bold** and `code`')]);
    await using screen = await on.screen([], { env: { NO_COLOR: '1' } });
    screen.type('hello\r');
    await screen.waitFor('bold and code');
    screen.kill('SIGTERM');
    await screen.exit();
    expect(screen.raw()).not.toMatch(/\x1b\[[\d;]*(?:3[1-7]|9[0-7]|38;[25])[\d;]*m/);
  });

  test('a dumb terminal gets plain lines and can be talked to', async () => {
    await using on = await scene([say('plain words')]);
    const { openTerminal } = await import('../support/terminal.ts');
    await using terminal = await openTerminal(on.repo, ['--trust'], { env: { TERM: 'dumb' } });
    await terminal.waitFor(/\S/);
    terminal.type('hello\r');
    await terminal.waitFor('plain words');
    terminal.key('ctrl+d');
    const exit = await terminal.exit();
    expect(exit.code).toBe(0);
    expect(terminal.raw()).not.toContain('\x1b[');
    expect(
      await on.breaches({ kept: ['hello', 'plain words'], terminal: { raw: terminal.raw, exit } }),
    ).toEqual([]);
  });
});

test('what was typed before a crash is offered again', async () => {
  await using on = await scene([say('one')]);
  const first = await on.screen();
  first.type('hello\r');
  await first.waitFor('one');
  first.type('half a thought');
  await first.waitFor('half a thought');
  await until('the draft on disk', () => draftsIn(on.repo.state).includes('half a thought'));
  first.kill('SIGKILL');
  await first.exit();
  await first[Symbol.asyncDispose]();
  await using second = await on.screen(['--continue']);
  await second.waitFor('half a thought');
});

const draftsIn = (state: string): string =>
  readdirSync(state, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.draft'))
    .map((name) => readFileSync(join(state, name), 'utf8'))
    .join('');

function has(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0;
}
