/** Commands in a real sandbox, judged by what they did to the disk. Needs bubblewrap and socat. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxPlace } from '../../src/contract/sandbox.ts';
import type { Settings } from '../../src/contract/settings.ts';
import { protectedNames } from '../../src/permission/protected-paths.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { ripgrepProgram } from '../../src/search/ripgrep.ts';
import { createShell } from '../../src/shell/run.ts';
import { sandboxHere } from '../support/sandbox-here.ts';

const able = sandboxHere();

let root: string;
let home: string;
let project: string;
let settings: Settings['sandbox'];
let sandbox: Sandbox;
const shell = createShell({ path: process.env.PATH ?? '' });
const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'coppice-box-')));
  [home, project] = [join(root, 'home'), join(root, 'project')];
  mkdirSync(join(root, 'outputs'));
  write(join(home, '.ssh/id'), 'secret key');
  write(join(home, '.coppice/credentials.json'), 'secret key');
  for (const name of ['.git-credentials', '.npmrc', '.docker/config.json', '.kube/config', 'dots/netrc'])
    write(join(home, name), 'secret key');
  symlinkSync('dots/netrc', join(home, '.netrc'));
  write(join(home, '.coppice/settings.json'), '{}');
  write(join(home, '.bashrc'), '# mine\n');
  write(join(project, '.git/config'), '[core]\n');
  write(join(project, '.git/hooks/sample'), '');
  write(join(project, '.git/worktrees/w/commondir'), '../..');
  write(join(project, '.npmrc'), 'a=b\n');
  write(join(home, '.cache/coppice/compiled/code'), 'code');
  write(join(project, 'a.txt'), 'one\n');
  sandbox = createSandbox({
    settings: () => settings,
    home,
    own: join(home, '.coppice'),
    foreign: join(home, '.claude'),
    protectedNames,
    temporary: root,
    path: process.env.PATH ?? '',
    platform: process.platform,
    ripgrep: ripgrepProgram,
  });
  settings = { enabled: true };
});
afterAll(async () => {
  await sandbox.close();
  await shell.close();
  await rm(root, { recursive: true, force: true });
});

let count = 0;
const run = async (command: string, place: Partial<SandboxPlace> = {}) => {
  const where = { checkout: project, project, directories: [], planning: false, ...place };
  const box = await sandbox.box(where);
  if (!box || 'refused' in box) throw new Error('no box');
  const ran = await shell.start({
    command,
    cwd: where.checkout,
    env: { PATH: process.env.PATH ?? '', HOME: home },
    sandbox: box,
    timeoutMs: 30_000,
    outputFile: join(root, 'outputs', String(count++)),
    signal: new AbortController().signal,
  }).result;
  return { ...ran, removed: box.done() };
};

describe.skipIf(!able)('a command in the sandbox', () => {
  it('is on after one look', async () => {
    expect(sandbox.state().state).toBe('unavailable');
    expect(await sandbox.ready()).toEqual({ state: 'on' });
    expect(sandbox.state()).toEqual({ state: 'on' });
  });

  it('works on the files of the workspace', async () => {
    const ran = await run(
      'cat a.txt; echo two > b.txt; mkdir sub; cd sub; echo x > "$TMPDIR/t"; cat "$TMPDIR/t"',
    );
    expect(ran).toMatchObject({ output: 'one\nx\n', exitCode: 0, cwd: join(project, 'sub') });
    expect(readFileSync(join(project, 'b.txt'), 'utf8')).toBe('two\n');
  });

  it('is given scripts of any length and quotes, and its exit code comes back', async () => {
    const text = `it's "quoted" $HOME \\ ${'x'.repeat(200_000)}`;
    const ran = await run(`cat > long.txt <<'EOF'\n${text}\nEOF\nexit 3`);
    expect(ran.exitCode).toBe(3);
    expect(readFileSync(join(project, 'long.txt'), 'utf8')).toBe(`${text}\n`);
  });

  it.each([
    ['a file outside', () => join(root, 'outside.txt')],
    ['a file of the home', () => join(home, 'x')],
    ['a start-up file', () => join(home, '.bashrc')],
    ['our settings that exist', () => join(home, '.coppice/settings.json')],
    ['settings of the project that do not exist', () => join(project, '.coppice/settings.json')],
    ['local settings of the project', () => join(project, '.coppice/settings.local.json')],
    ['a skill', () => join(project, '.coppice/skills/x/SKILL.md')],
    ['an agent of the foreign home', () => join(project, '.claude/agents/x.md')],
    ['foreign settings of the project', () => join(project, '.claude/settings.json')],
    ['servers of the project', () => join(project, '.mcp.json')],
    ['a git hook', () => join(project, '.git/hooks/pre-commit')],
    ['the git configuration', () => join(project, '.git/config')],
    ['what git keeps of a worktree', () => join(project, '.git/worktrees/w/commondir')],
    ['a package manager that is there', () => join(project, 'sub', '..', '.npmrc')],
    ['code that the next start runs', () => join(home, '.cache/coppice/compiled/code')],
  ])('does not write %s', async (_, pathOf) => {
    const path = pathOf();
    const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    await run(`mkdir -p '${dirname(path)}'; echo evil >> '${path}'; true`);
    expect(existsSync(path) ? readFileSync(path, 'utf8') : undefined).toBe(before);
  });

  it('leaves git nothing that leads it to other configuration', async () => {
    const pointer = join(project, '.git/commondir');
    const ran = await run('mkdir -p g2; echo ../g2 > .git/commondir; cat .git/commondir');
    expect(ran).toMatchObject({ output: '../g2\n', removed: [pointer] });
    expect(existsSync(pointer)).toBe(false);
    expect((await run('true')).removed).toEqual([]);
  });

  it('protects configuration that came while it was on', async () => {
    write(join(project, '.coppice/settings.json'), '{}');
    await run('echo evil >> .coppice/settings.json; echo evil > .coppice/new; true');
    expect(readFileSync(join(project, '.coppice/settings.json'), 'utf8')).toBe('{}');
    expect(existsSync(join(project, '.coppice/new'))).toBe(false);
    await rm(join(project, '.coppice'), { recursive: true });
  });

  it('leaves nothing behind in the folder', async () => {
    await run('ls -a > /dev/null');
    const names = (await readdir(project)).filter((name) => name.startsWith('.'));
    expect(names).toEqual(['.git', '.npmrc']);
  });

  it('shows git no file that is not there, and what the person ignores stays ignored', async () => {
    const repo = join(root, 'repo');
    write(join(repo, 'new.txt'), 'x');
    write(join(repo, 'own.tmp'), 'x');
    write(join(home, '.config/git/ignore'), '*.tmp\n');
    await promisify(execFile)('git', ['init', '-q', repo]);
    const ran = await run('git add -A && git status --short', { checkout: repo, project: repo });
    expect(ran.output.split('\n').filter((line) => !line.startsWith('warning:'))).toEqual(['A  new.txt', '']);
    // What says so is ours alone: a link or a pipe in its place would be written to outside.
    const takes = await run(
      'n=$((GIT_CONFIG_COUNT-1)); v=GIT_CONFIG_VALUE_$n; cat "${!v}"; rm -f "${!v}" && echo gone',
    );
    expect(takes.output).toContain('*.tmp');
    expect(takes.output).not.toContain('gone');
  });

  it.each([
    ['a key', '.ssh/id'],
    ['our own credentials', '.coppice/credentials.json'],
    ['tokens of git', '.git-credentials'],
    ['tokens of npm', '.npmrc'],
    ['tokens of docker', '.docker/config.json'],
    ['keys of clusters', '.kube/config'],
    ['passwords behind a link', '.netrc'],
    ['passwords that a link leads to', 'dots/netrc'],
  ])('does not read %s', async (_, name) => {
    const ran = await run(`cat '${join(home, name)}'`);
    expect(ran.output).not.toContain('secret');
    expect(ran.exitCode).not.toBe(0);
  });

  it('reaches no host that is not listed', async () => {
    let asked = 0;
    const server = createServer((_, answer) => {
      asked++;
      answer.end('hello');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const ran = await run(
      `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3; true`,
    );
    server.close();
    expect(asked).toBe(0);
    expect(ran.output).not.toContain('hello');
  });

  it('writes nothing at all in plan mode', async () => {
    await run('echo evil > planned.txt; echo evil > a.txt; git init x; true', { planning: true });
    expect(existsSync(join(project, 'planned.txt'))).toBe(false);
    expect(existsSync(join(project, 'x'))).toBe(false);
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it('obeys the lists of the settings', async () => {
    settings = {
      enabled: true,
      filesystem: { allowWrite: [join(root, 'more')], denyWrite: ['locked'], denyRead: ['~/private'] },
    };
    mkdirSync(join(root, 'more'));
    write(join(project, 'locked/x'), 'x');
    write(join(home, 'private/x'), 'secret');
    const ran = await run(
      `echo y > '${join(root, 'more/y')}'; echo y > locked/y; cat '${join(home, 'private/x')}'; true`,
    );
    expect(existsSync(join(root, 'more/y'))).toBe(true);
    expect(existsSync(join(project, 'locked/y'))).toBe(false);
    expect(ran.output).not.toContain('secret');
    settings = { enabled: true };
  });

  it('commits in a worktree, and leaves the main tree, its hooks and its configuration alone', async () => {
    const git = (...args: string[]) =>
      promisify(execFile)('git', ['-c', 'user.name=T', '-c', 'user.email=t@t', ...args], { cwd: main });
    const main = join(root, 'main');
    mkdirSync(main);
    await git('init', '-q', '-b', 'main');
    await git('commit', '-q', '--allow-empty', '-m', 'Begin');
    await git('worktree', 'add', '-q', '.coppice/worktrees/one', '-b', 'one');
    const checkout = join(main, '.coppice/worktrees/one');
    const ran = await run(
      'git config --get core.bare; echo x > x; git add x && git -c user.name=T -c user.email=t@t commit -qm In; ' +
        'echo evil > ../../../evil; echo evil > ../../../.git/hooks/pre-commit; git config a.b evil; git log --oneline',
      { checkout, project: main },
    );
    expect(ran.output).toContain(' In');
    expect(existsSync(join(main, 'evil'))).toBe(false);
    expect(existsSync(join(main, '.git/hooks/pre-commit'))).toBe(false);
    expect(readFileSync(join(main, '.git/config'), 'utf8')).not.toContain('evil');
  });

  it('cannot put a link in place of the file that says where it ended', async () => {
    const ran = await run('rm -rf "$TMPDIR"/*; cd /; trap - EXIT; exit 0');
    expect([project, '/']).toContain(ran.cwd);
  });
});

describe('where there is no sandbox', () => {
  const without = (wish: Settings['sandbox'], platform = 'linux', path = '/nonexistent') =>
    createSandbox({
      settings: () => wish,
      home: root,
      own: root,
      foreign: root,
      protectedNames,
      temporary: root,
      path,
      platform,
      ripgrep: async () => '/nonexistent/rg',
    });
  const place = { checkout: '/', project: '/', directories: [], planning: false };

  it('is off unless it is wished for', async () => {
    const off = without(undefined);
    expect(await off.ready()).toEqual({ state: 'off' });
    expect(await off.box(place)).toBeUndefined();
  });
  it('says what is missing and what to do', async () => {
    expect(await without({ enabled: true }).ready()).toMatchObject({
      state: 'unavailable',
      fix: expect.stringContaining('apt-get install bubblewrap socat'),
    });
    expect(await without({ enabled: true }, 'win32').ready()).toMatchObject({ state: 'unavailable' });
  });
  it('runs commands outside when it is only enabled, and none when it is required', async () => {
    expect(await without({ enabled: true }).box(place)).toBeUndefined();
    expect(await without({ required: true }).box(place)).toEqual({
      refused: expect.stringMatching(/sandbox\.required.*Install bubblewrap/),
    });
  });
});
