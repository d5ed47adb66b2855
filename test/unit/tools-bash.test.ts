import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolContext } from '../../src/contract/tool.ts';
import { toolBench } from '../support/tool-bench.ts';

const withBench = async (work: (bench: ReturnType<typeof toolBench>) => Promise<void>) => {
  await using bench = toolBench();
  await work(bench);
};
const bash = (
  bench: ReturnType<typeof toolBench>,
  command: string,
  more: object = {},
  ctx?: Partial<ToolContext>,
) => bench.call('Bash', { command, ...more }, ctx);

describe('the outcome of a command', () => {
  it.each([
    ['that succeeds', 'echo a; echo b >&2', 'ok', 'a\nb'],
    ['that says nothing', 'true', 'ok', '(no output)'],
    ['that fails', 'echo a; exit 3', 'error', 'Exit code 3\na'],
    ['that finds nothing', 'grep nothing /dev/null', 'ok', 'Exit code 1'],
    ['that finds nothing, last in a chain', 'cd . && FOO=1 grep "a && b | c" /dev/null', 'ok', 'Exit code 1'],
    ['that tests', '[ a = b ]', 'ok', 'Exit code 1'],
    ['that compares', 'echo a > x; echo b > y; diff x y > /dev/null', 'ok', 'Exit code 1'],
    ['that finds nothing because of an error', 'grep x /nonexistent 2> /dev/null', 'error', 'Exit code 2'],
    ['that only speaks of grep', 'echo grep; sh -c "exit 1"', 'error', 'Exit code 1\ngrep'],
    ['that kills itself', 'kill -9 $$', 'error', '[Killed by SIGKILL]'],
    [
      'that wants a terminal',
      'read x < /dev/tty',
      'error',
      'Exit code 1\nbash: line 1: /dev/tty: No such device or address\n[It wanted a terminal, and there is none: give the answer as an option or through a pipe, or use the command in a non-interactive way.]',
    ],
  ])('%s', (_, command, status, text) =>
    withBench(async (bench) => {
      expect(await bash(bench, command)).toMatchObject({ status, text });
    }),
  );

  it('has the shape that hooks know', () =>
    withBench(async (bench) => {
      expect((await bash(bench, 'echo a; exit 2')).response).toEqual({
        stdout: 'a\n',
        stderr: '',
        interrupted: false,
        isImage: false,
        exitCode: 2,
      });
    }));

  it('names the time limit', () =>
    withBench(async (bench) => {
      const outcome = await bash(bench, 'echo a; sleep 300', { timeout: 200 });
      expect(outcome).toMatchObject({
        status: 'error',
        text: expect.stringMatching(/^a\n\[Stopped at its time limit after .* s\. Give a longer timeout/),
      });
    }));

  it('is cancelled when the turn is interrupted, with what there was', () =>
    withBench(async (bench) => {
      const abort = new AbortController();
      const outcome = await bash(
        bench,
        'echo a; sleep 300',
        {},
        { signal: abort.signal, progress: () => abort.abort() },
      );
      expect(outcome).toMatchObject({
        status: 'cancelled',
        text: expect.stringMatching(/^a\n\[Interrupted by the user after .* s\]$/),
        response: { interrupted: true },
      });
    }));

  it('tells of what it left running', () =>
    withBench(async (bench) => {
      expect((await bash(bench, 'sleep 300 & echo a')).text).toBe(
        'a\n[Processes that it started still run; they end with this session.]',
      );
    }));
});

describe('the working directory', () => {
  it('moves inside the workspace and lasts', () =>
    withBench(async (bench) => {
      mkdirSync(join(bench.folder, 'sub'));
      expect(await bash(bench, 'cd sub')).toMatchObject({
        effects: [{ type: 'cwd', cwd: join(bench.folder, 'sub') }],
      });
      expect((await bash(bench, 'pwd; X=1')).text).toBe(join(bench.folder, 'sub'));
      expect((await bash(bench, 'cd ..; echo $X')).effects).toEqual([{ type: 'cwd', cwd: bench.folder }]);
    }));

  it('comes back from outside of it, and says so', () =>
    withBench(async (bench) => {
      const outcome = await bash(bench, 'cd /; pwd');
      expect(outcome).toMatchObject({ status: 'ok', effects: [] });
      expect(outcome.text).toBe(
        `/\n[The working directory is ${bench.folder} again: / is outside of the workspace]`,
      );
    }));

  it('that has vanished is left for the checkout', () =>
    withBench(async (bench) => {
      const sub = join(bench.folder, 'sub');
      mkdirSync(sub);
      await bash(bench, 'cd sub');
      rmSync(sub, { recursive: true });
      expect(await bash(bench, 'echo a')).toMatchObject({
        status: 'error',
        text: `The working directory ${sub} does not exist any more, so nothing was run. You are in ${bench.folder} now; give the command again as it fits there.`,
      });
      expect(await bash(bench, 'pwd')).toMatchObject({ text: bench.folder });
    }));
});

describe('in the background', () => {
  it('a command runs on, is seen, stopped and told of', () =>
    withBench(async (bench) => {
      const outcome = await bash(bench, 'echo up; sleep 300', {
        run_in_background: true,
        description: 'a server',
      });
      const [effect] = outcome.effects ?? [];
      if (effect?.type !== 'background') throw new Error(outcome.text);
      const { id, output } = effect;
      expect(effect).toEqual({
        type: 'background',
        id,
        kind: 'command',
        label: 'a server',
        status: 'running',
        output,
        call: 'call-1',
      });
      expect(outcome).toMatchObject({ status: 'ok', response: { backgroundTaskId: id } });
      expect(outcome.text).toContain(output);
      await expect.poll(() => readFileSync(output, 'utf8')).toBe('up\n');
      const seen = await bench.call('TaskOutputTool', { task_id: id, block: false });
      expect(JSON.parse(seen.text)).toEqual({
        task_id: id,
        task_type: 'command',
        status: 'running',
        output: 'up\n',
        output_file: output,
      });
      const stopped = await bench.call('TaskStopTool', { shell_id: id });
      expect(JSON.parse(stopped.text)).toEqual({
        message: 'Stopped echo up; sleep 300',
        task_id: id,
        task_type: 'command',
        command: 'echo up; sleep 300',
      });
      expect(bench.ended).toEqual([
        expect.objectContaining({ id, kind: 'command', label: 'a server', status: 'stopped' }),
      ]);
      expect(await bench.call('TaskStopTool', { task_id: id })).toMatchObject({
        status: 'error',
        text: `${id} has already ended; there is nothing to stop.`,
      });
    }));

  it('its end can be waited for', () =>
    withBench(async (bench) => {
      await bash(bench, 'sleep 0.1; echo end; exit 4', { run_in_background: true });
      const [id = ''] = bench.background.ids();
      const seen = JSON.parse((await bench.call('TaskOutputTool', { task_id: id })).text);
      expect(seen).toMatchObject({ status: 'failed', exit_code: 4, output: 'end\n' });
    }));

  it('a running command goes when the person sends it there, and speaks no more to the screen', () =>
    withBench(async (bench) => {
      const heard: string[] = [];
      const listening = new Set<() => void>();
      const progress = (text: string) => {
        heard.push(text);
        for (const away of listening) away();
      };
      const backgrounded = (away: () => void) => {
        listening.add(away);
        return () => listening.delete(away);
      };
      const outcome = await bash(
        bench,
        'echo up; sleep 0.3; echo down',
        { timeout: 200 },
        { backgrounded, progress },
      );
      expect(outcome.text).toMatch(
        /^It runs in the background as b\w+; you are told when it ends\. Output goes to .*, so far:\nup\n$/,
      );
      await expect
        .poll(() => bench.ended.map(({ status, exitCode }) => [status, exitCode]))
        .toEqual([['completed', 0]]);
      expect(heard).toEqual(['up\n']);
      await bash(bench, 'true', {}, { backgrounded });
      expect(listening.size).toBe(0);
    }));

  it('an unknown id gets the known ones', () =>
    withBench(async (bench) => {
      expect((await bench.call('TaskOutputTool', { task_id: 'x' })).text).toBe(
        'There is no background task "x"; nothing has run in the background.',
      );
      await bash(bench, 'true', { run_in_background: true });
      const [id = ''] = bench.background.ids();
      await bench.background.wait(id, 10_000, new AbortController().signal);
      expect((await bench.call('TaskStopTool', { task_id: 'x' })).text).toBe(
        `There is no background task "x". Known are: ${id} (command, completed).`,
      );
    }));
});

it('much output comes to the screen in bounded pieces and to the model under its cap', () =>
  withBench(async (bench) => {
    const heard: string[] = [];
    const outcome = await bash(bench, 'yes | head -c 200M', {}, { progress: (text) => heard.push(text) });
    expect(Math.max(0, ...heard.map((text) => text.length))).toBeLessThanOrEqual(4_000);
    expect(outcome.text.length).toBeLessThan(30_300);
    expect(outcome.text).toMatch(/\[\d+ of 209715200 bytes are left out here\. What was kept of it: .*\]/);
    expect(JSON.parse(JSON.stringify(outcome.text))).toBe(outcome.text);
  }));
