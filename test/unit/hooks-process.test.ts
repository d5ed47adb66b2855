import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createProcesses } from '../../src/hooks/process.ts';
import { bash, one, world } from '../hooks/world.ts';

const groupIsGone = (pid: number): boolean => {
  try {
    process.kill(-pid, 0);
    return false;
  } catch {
    return true;
  }
};
const gone = async (pid: number): Promise<void> => {
  await vi.waitUntil(() => groupIsGone(pid), { timeout: 8000, interval: 50 });
};

const variants: readonly (readonly [name: string, command: string])[] = [
  ['sleeps', 'echo $$ > pid; sleep 600'],
  ['minds no SIGTERM', 'trap "" TERM; echo $$ > pid; sleep 600; sleep 600'],
  ['has children that mind no SIGTERM', 'echo $$ > pid; (trap "" TERM; sleep 600) & wait'],
];

test.concurrent.each(variants)(
  'a hook that %s is ended with its whole group, and the call is in doubt',
  async (_name, command) => {
    await using here = world(one('PreToolUse', command, { timeout: 0.3 }));
    const { verdict, runs } = await here.hooks.fire('PreToolUse', bash('ls'), here.scope());
    expect(runs[0]?.ran.outcome).toBe('timeout');
    expect(verdict.decision).toBeUndefined();
    expect(verdict.uncertain).toContain('was ended after 0.3 s');
    expect(here.notices()).toHaveLength(1);
    await gone(Number(readFileSync(join(here.project, 'pid'), 'utf8')));
  },
);

test.concurrent('a child that holds the output does not hold the agent, and ends with the time limit', async () => {
  await using here = world(
    one('PreToolUse', 'echo $$ > pid; sleep 600 & echo said >&2; exit 2', { timeout: 1 }),
  );
  const verdict = await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope());
  expect(verdict.reason).toBe('said');
  const pid = Number(readFileSync(join(here.project, 'pid'), 'utf8'));
  expect(groupIsGone(pid)).toBe(false);
  await gone(pid);
});

test.concurrent('what hooks leave behind ends with the program', async () => {
  const here = world(one('PreToolUse', 'echo $$ > pid; sleep 600 &'));
  await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope());
  await here.hooks.close();
  await gone(Number(readFileSync(join(here.project, 'pid'), 'utf8')));
});

test('a child may write on after its hook has ended', async () => {
  await using here = world(one('PostToolUse', '(sleep 0.2; echo late; echo done > late) & exit 0'));
  await here.hooks.fire('PostToolUse', bash('ls'), here.scope());
  await expect
    .poll(() => readFileSync(join(here.project, 'late'), { encoding: 'utf8', flag: 'a+' }), { timeout: 5000 })
    .toBe('done\n');
});

test('an interrupt ends a waited hook at once', async () => {
  await using here = world(one('PreToolUse', 'echo $$ > pid; sleep 600'));
  const turn = new AbortController();
  const fired = here.hooks.fire('PreToolUse', bash('ls'), here.scope({ signal: turn.signal }));
  const pid = () => Number(readFileSync(join(here.project, 'pid'), { encoding: 'utf8', flag: 'a+' }));
  await expect.poll(pid).toBeGreaterThan(0);
  turn.abort();
  expect((await fired).runs[0]?.ran.outcome).toBe('cancelled');
  await gone(pid());
});

test('hooks that never read their input do no harm', async () => {
  await using here = world(one('PreToolUse', 'exec 0<&-; exit 0'));
  const { runs } = await here.hooks.fire('PreToolUse', bash('x'.repeat(3_000_000)), here.scope());
  expect(runs[0]?.ran.outcome).toBe('success');
});

test('there is no terminal to write to', async () => {
  await using here = world(one('PreToolUse', '(echo hi > /dev/tty) 2>/dev/null && exit 2; exit 0'));
  expect((await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope())).decision).toBeUndefined();
});

test('a time limit beyond what a timer can hold is as long as possible', async () => {
  const processes = createProcesses();
  const { end } = processes.run({
    file: 'true',
    args: [],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    stdin: '',
    timeoutMs: 5_000_000_000,
    signal: new AbortController().signal,
    started: () => undefined,
  });
  expect((await end).kind).toBe('exited');
});
