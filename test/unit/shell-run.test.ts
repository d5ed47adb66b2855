import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningCommand, Shell, ShellRequest } from '../../src/contract/shell.ts';
import { createShell } from '../../src/shell/run.ts';

const MB = 1024 * 1024;
const path = process.env.PATH ?? '';
const root = mkdtempSync(join(tmpdir(), 'shell-'));
const outputs = join(root, 'outputs');
const work = join(root, 'work');
let shell: Shell;
let counter = 0;

beforeAll(() => {
  mkdirSync(join(work, 'sub'), { recursive: true });
  mkdirSync(outputs);
  shell = createShell({ path });
});
afterAll(() => shell.close());

const start = (command: string, request: Partial<ShellRequest> = {}, by: Shell = shell): RunningCommand =>
  by.start({
    command,
    cwd: work,
    env: { PATH: path, HOME: root },
    timeoutMs: 60_000,
    outputFile: join(outputs, String(counter++)),
    signal: new AbortController().signal,
    ...request,
  });
const run = (command: string, request: Partial<ShellRequest> = {}, by: Shell = shell) =>
  start(command, request, by).result;
const lastOutput = () => join(outputs, String(counter - 1));
/** A process that has ended and that nobody has asked about yet does not run. */
const isRunning = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));

describe('a command', () => {
  it.each([
    ['both streams in order', 'echo a; echo b >&2; echo c', 'a\nb\nc\n', 0],
    ['an exit code', 'exit 3', '', 3],
    ['writes to the devices of its streams', 'echo a > /dev/stderr; echo b > /dev/stdout', 'a\nb\n', 0],
    ['a closed standard input', 'cat; read x || echo none', 'none\n', 0],
    ['no arguments and a plain name', 'echo "$0 $#"', 'bash 0\n', 0],
    ['quotes, backslashes and tabs', `printf '%s' "it's \\\\ \t \${HOME:+x}"`, "it's \\ \t x", 0],
    ['line numbers of its own', 'true\nnosuch', 'bash: line 2: nosuch: command not found\n', 127],
    ['its own traps', "trap 'echo bye' EXIT; echo hi", 'hi\nbye\n', 0],
    ['the status that its own trap saw', "trap 'echo $?' EXIT; exit 4", '4\n', 4],
    [
      'no editor and no pager',
      'echo $GIT_EDITOR $EDITOR $PAGER $GIT_PAGER $GIT_TERMINAL_PROMPT $TERM',
      'true true cat cat 0 dumb\n',
      0,
    ],
    ['no trace of what is around it', 'set -x; echo a', '++ echo a\na\n', 0],
    ['a failing script under set -e', 'set -e; false; echo no', '', 1],
    ['bytes that are half a character', "printf '\\303'", '\ufffd', 0],
    ['names between NUL bytes', "printf 'one-name\\0another-name\\0'", 'one-name\u2400another-name\u2400', 0],
  ])('has %s', async (_, command, output, exitCode) => {
    expect(await run(command)).toMatchObject({ output, exitCode, cwd: work, leftRunning: false });
  });

  it('has no controlling terminal', async () => {
    const { output, exitCode } = await run('echo x > /dev/tty');
    expect([output, exitCode]).toEqual(['bash: line 1: /dev/tty: No such device or address\n', 1]);
  });

  it('is not changed by start-up files and functions of the environment', async () => {
    const env = {
      PATH: path,
      BASH_ENV: '/nonexistent',
      CDPATH: '/usr',
      'BASH_FUNC_ls%%': '() { echo mine; }',
      CI: 'yes',
    };
    const { output } = await run('echo "$BASH_ENV$CDPATH$CI"; type -t ls', { env });
    expect(output).toBe('yes\nfile\n');
  });

  it('sees what the environment files export, where they exist', async () => {
    const file = join(root, 'env file.sh');
    await run(`echo 'export GREETING=hello' > ${JSON.stringify(file)}`);
    expect((await run('echo $GREETING', { envFiles: [join(root, 'none'), file] })).output).toBe('hello\n');
  });

  it('may be longer than an argument can be', async () => {
    const { output, cwd } = await run(`: ${'x'.repeat(300_000)}\ncd sub; echo done`);
    expect([output, cwd]).toEqual(['done\n', join(work, 'sub')]);
    expect(readdirSync(outputs).filter((name) => /\.(sh|cwd)$/.test(name))).toEqual([]);
  });

  it.each([
    ['a NUL byte', { command: 'echo \0' }, /could not be started/],
    ['no bash', { env: { PATH: '/nonexistent' } }, /There is no bash on PATH. Install bash/],
  ])('that cannot start for %s says so', async (_, request, sentence) => {
    const result = await run('true', request);
    expect(result.exitCode).toBeNull();
    expect(result.notStarted).toMatch(sentence);
  });
});

describe('the directory', () => {
  it.each([
    ['the end of the script', 'cd sub'],
    ['exit', 'cd sub; exit 2'],
    ['a failure', 'set -e; cd sub; false'],
    ['a trap of its own', "trap 'true' EXIT; cd sub"],
    ['a line that does not parse', 'cd sub\nif'],
  ])('is carried over after %s', async (_, command) => {
    expect((await run(command)).cwd).toBe(join(work, 'sub'));
  });

  it.each([
    ['a subshell', '(cd sub; exit 1)'],
    ['exec', 'cd sub; exec true'],
    ['a killed shell', 'cd sub; kill -9 $$'],
    ['a directory that is gone', 'mkdir gone; cd gone; rmdir ../gone'],
    ['a failed cd', 'cd nowhere'],
  ])('stays after %s', async (_, command) => {
    expect((await run(command)).cwd).toBe(work);
  });

  it('may have a name with quotes and a line end', async () => {
    const name = 'it\'s "a\nb';
    mkdirSync(join(work, name));
    const { cwd } = await run(`cd it*`);
    expect(cwd).toBe(join(work, name));
    expect((await run('cd ..', { cwd })).cwd).toBe(work);
  });
});

describe('ending', () => {
  it('kills the whole group at the time limit', async () => {
    const result = await run('sleep 300 & echo $!; sleep 300', { timeoutMs: 200 });
    expect(result).toMatchObject({ timedOut: true, interrupted: false, leftRunning: false });
    expect(isRunning(Number(result.output))).toBe(false);
  });

  it('kills what ignores SIGTERM', async () => {
    const result = await run('trap "" TERM; echo up; sleep 300', { timeoutMs: 100 });
    expect(result).toMatchObject({ timedOut: true, signal: 'SIGKILL', leftRunning: false });
  });

  it('settles although a process of another group keeps the pipe', async () => {
    const result = await run('setsid sleep 300 & echo here', {});
    expect(result).toMatchObject({ exitCode: 0, output: 'here\n' });
  });

  it('is an interruption when the signal aborts', async () => {
    const abort = new AbortController();
    const running = start('echo up; sleep 300', { signal: abort.signal, onOutput: () => abort.abort() });
    expect(await running.result).toMatchObject({ interrupted: true, timedOut: false, output: 'up\n' });
  });

  it('does not start what is already interrupted to its end', async () => {
    const result = await run('sleep 300', { signal: AbortSignal.abort() });
    expect(result.interrupted).toBe(true);
  });

  it('tells of processes left running, and ends them with the shell', async () => {
    const own = createShell({ path });
    const result = await run('sleep 300 > /dev/null 2>&1 & echo $!', {}, own);
    expect(result).toMatchObject({ exitCode: 0, leftRunning: true });
    expect(isRunning(Number(result.output))).toBe(true);
    await own.close();
    await expect.poll(() => isRunning(Number(result.output)), { timeout: 5_000 }).toBe(false);
  });

  it('leaves a detached command to itself', async () => {
    const abort = new AbortController();
    const running = start('echo up; sleep 0.3; echo end', { signal: abort.signal, timeoutMs: 50 });
    running.detach();
    abort.abort();
    expect(await running.result).toMatchObject({ exitCode: 0, interrupted: false, timedOut: false });
    expect(readFileSync(lastOutput(), 'utf8')).toBe('up\nend\n');
    expect(statSync(lastOutput()).mode & 0o777).toBe(0o600);
  });

  it('starts nothing once it is closed', async () => {
    const own = createShell({ path });
    await own.close();
    expect((await run('true', {}, own)).notStarted).toMatch(/is ending/);
  });
});

describe('output', () => {
  it('keeps head and tail for the model and all of it in a file', async () => {
    const result = await run('seq 1 100000');
    expect(result).toMatchObject({ truncated: true, totalBytes: 588_895 });
    expect(result.output.length).toBeLessThan(30_300);
    expect(result.output).toMatch(/^1\n2\n3\n/);
    expect(result.output).toMatch(/\n99999\n100000\n$/);
    const note = /\[(\d+) of 588895 bytes are left out here\. All of it: (.+)\]/.exec(result.output);
    expect(note?.[2]).toBe(lastOutput());
    const shown = Buffer.byteLength(result.output.replace(/\n\n\[.*\]\n\n/, ''));
    expect(shown + Number(note?.[1])).toBe(588_895);
    expect(statSync(lastOutput()).size).toBe(588_895);
  });

  it('makes no file of what the model reads whole', async () => {
    expect(await run('seq 1 1000')).toMatchObject({ truncated: false });
    expect(readdirSync(outputs)).not.toContain(String(counter - 1));
  });

  it('is never cut inside a character', async () => {
    const { output } = await run(`printf 'x'; yes '𝒳é€' | tr -d '\\n' | head -c 900000`);
    expect(output).not.toMatch(/\ufffd(?!$)/);
    expect(output.isWellFormed()).toBe(true);
  });

  it('may be one line of 50 MB', async () => {
    const { output, totalBytes } = await run('head -c 52428800 /dev/zero | tr "\\0" x');
    expect(totalBytes).toBe(50 * MB);
    expect(output.length).toBeLessThan(30_300);
  });

  it('that is binary is not shown', async () => {
    const { output } = await run('head -c 100000 /dev/urandom');
    expect(output).toBe(`[100000 bytes of binary output, not shown. All of it: ${lastOutput()}]`);
    expect(statSync(lastOutput()).size).toBe(100_000);
  });

  it('over the cap of the file loses its middle, says so, and takes little memory', async () => {
    const before = process.memoryUsage().rss;
    let peak = 0;
    const result = await run('yes | head -c 400M; echo the end', {
      onOutput: () => {
        peak = Math.max(peak, process.memoryUsage.rss());
      },
    });
    expect(result.totalBytes).toBe(400 * MB + 8);
    expect(peak - before).toBeLessThan(150 * MB);
    const file = readFileSync(lastOutput());
    expect(file.length).toBeLessThanOrEqual(64 * MB);
    expect(file.length).toBeGreaterThan(63 * MB);
    const note = /\[(\d+) bytes are missing here: this file keeps at most 67108864\]\n/.exec(
      file.toString('latin1'),
    );
    expect(file.length - (note?.[0].length ?? 0) - 1 + Number(note?.[1])).toBe(result.totalBytes);
    expect(file.subarray(-8).toString()).toBe('the end\n');
    rmSync(lastOutput());
  });

  it('is told piece by piece while it comes', async () => {
    const seen: string[] = [];
    const running: RunningCommand = start('seq 1 8; echo end', { onOutput: () => seen.push(running.news()) });
    await running.result;
    expect(seen.join('')).toBe('1\n2\n3\n4\n5\n6\n7\n8\nend\n');
    expect(running.news()).toBe('');
    expect(running.tail()).toBe(seen.join(''));
  });

  it('that cannot be stored keeps the exit code and says so', async () => {
    const result = await run('seq 1 100000; exit 7', { outputFile: join(root, 'no-such-folder', 'out') });
    expect(result.exitCode).toBe(7);
    expect(result.output).toMatch(/The output file .* is not whole: ENOENT/);
  });
});
