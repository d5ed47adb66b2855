/** A lead with three teammates in worktrees, from the team's creation to its end, as a person sees and directs it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { memberOf } from '../support/crew.ts';
import { jsonLines } from '../support/run-binary.ts';
import { type Scene, scene, until } from '../support/scene.ts';
import type { Terminal } from '../support/terminal.ts';
import { AGENTS, MATES, playWholeTeam, REFUSAL, TASKS } from '../support/whole-team.ts';

// Each test starts several programs.
vi.setConfig({ testTimeout: 120_000 });

const submit = async (terminal: Terminal, text: string): Promise<void> => {
  terminal.type(text);
  await terminal.waitFor(() => terminal.screen().some((line) => line.includes(`❯ ${text}`)));
  terminal.key('enter');
};
/** Rows of the tree that begin with this name. */
const rowsOf = (terminal: Terminal, name: string): readonly string[] =>
  terminal.screen().filter((line) => new RegExp(`^(❯| ) [○◌?!◍✕] ${name}\\b`).test(line));
const row = (terminal: Terminal, name: string): string => rowsOf(terminal, name)[0] ?? '';
/** Into the tree and down to a member; its page is open when this resolves. */
const open = async (terminal: Terminal, name: string): Promise<void> => {
  terminal.key('down');
  await terminal.waitFor(() => MATES.some((one) => row(terminal, one).startsWith('❯')));
  while (!row(terminal, name).startsWith('❯')) {
    const before = terminal.screen().find((line) => line.startsWith('❯ ') && /^❯ [○◌]/.test(line));
    terminal.key('down');
    await terminal.waitFor(() => !terminal.screen().includes(before ?? ''));
  }
  terminal.key('enter');
  await terminal.waitFor('esc leaves');
};
const leave = async (terminal: Terminal): Promise<void> => {
  terminal.key('esc');
  await terminal.waitUntilGone('esc leaves');
};
interface StoredTask {
  readonly id: string;
  readonly status: string;
  readonly owner?: string;
}
const tasksOf = (on: Scene): readonly StoredTask[] =>
  TASKS.map((_, at) =>
    JSON.parse(readFileSync(join(on.repo.state, 'tasks', 'crew', `${at + 1}.json`), 'utf8')),
  );
const heardBy = (on: Scene, name: string, text: string): boolean =>
  on.server.requests.some(({ raw, prompt }) => raw.includes(`You are ${name}.`) && prompt.includes(text));
const before = <T>(lines: readonly T[], first: (line: T) => boolean, second: (line: T) => boolean): void => {
  const [a, b] = [lines.findIndex(first), lines.findIndex(second)];
  expect(a).toBeGreaterThanOrEqual(0);
  expect(b).toBeGreaterThan(a);
};

it.each([
  ['in-process', 80, 30],
  ['process', 120, 40],
] as const)('a whole team, its members %s, at %i columns', async (mode, columns, rows) => {
  await using on = await scene();
  const play = playWholeTeam(on.server);
  const head = await on.repo.git('rev-parse', 'HEAD');
  await using terminal = await on.screen(
    [
      ...['--teammate-mode', mode, '--agents', AGENTS],
      ...['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash(git:*)'],
    ],
    { columns, rows },
  );

  await submit(terminal, 'Lead a team.');
  await terminal.waitFor(/Team crew · 3 of 3 at work/);
  for (const name of MATES) expect(rowsOf(terminal, name)).toHaveLength(1);
  play.mayBegin.open();
  await terminal.waitFor('plan not approved: Say how you test it.');
  await terminal.waitFor('plan approved');
  const first = TASKS.slice(0, 3);
  await terminal.waitFor(() =>
    first.every(({ activeForm }) => MATES.some((name) => row(terminal, name).includes(activeForm))),
  );
  for (const name of MATES) expect(rowsOf(terminal, name)).toHaveLength(1);
  expect(play.plans()).toBe(2);
  expect(new Set(MATES.map((name) => memberOf(on.repo, name)?.color)).size).toBe(3);
  terminal.key('ctrl+t');
  await terminal.waitFor(/0 of 4 done/);
  expect(terminal.screen().join('\n')).toMatch(/4 Check it all +after 1, 2, 3/);

  await open(terminal, 'ann');
  terminal.type('how far are you?');
  await terminal.waitFor('❯ how far are you?');
  terminal.key('enter');
  await terminal.waitFor('sent: it reads it at its next tool round');
  const annsTask = Number(tasksOf(on).find(({ owner }) => owner === 'ann')?.id);
  play.mayFinish[annsTask - 1]?.open();
  await terminal.waitFor(() => terminal.screen().some((line) => line.startsWith('❯ how far are you?')));
  await terminal.waitFor(`Task ${annsTask} is done.`);
  await leave(terminal);
  await terminal.waitFor(/1 of 4 done/);

  terminal.type('@bo');
  await terminal.waitFor(/❯ bob +teammate · working/);
  terminal.key('enter');
  await terminal.waitFor('❯ @bob');
  terminal.type('mind the tests');
  await terminal.waitFor('❯ @bob mind the tests');
  terminal.key('enter');
  await terminal.waitFor('said to bob');
  await terminal.waitFor(() => row(terminal, 'bob').includes('✉ 1'));
  for (const door of play.mayFinish) door.open();
  await terminal.waitFor(/4 of 4 done/);
  await terminal.waitFor(/Team crew · 0 of 3 at work/);
  expect(heardBy(on, 'bob', 'mind the tests')).toBe(true);
  expect(tasksOf(on).map(({ status, owner }) => [status, MATES.some((name) => name === owner)])).toEqual(
    TASKS.map(() => ['completed', true]),
  );

  await submit(terminal, '@cleo are you still there');
  await until('cleo to hear', () => heardBy(on, 'cleo', 'are you still there'));
  await terminal.waitFor(/Team crew · 0 of 3 at work/);
  await submit(terminal, '/team');
  await terminal.waitFor('No open tasks, 4 ended.');
  await terminal.waitFor(/user to bob +│ mind the tests +│ read/);
  await terminal.waitFor(/user to cleo +│ are you still there +│ (delivered|read)/);

  await submit(terminal, 'Ask them to end.');
  await terminal.waitFor(`does not shut down: ${REFUSAL}`);
  await terminal.waitFor(/Team crew · 0 of 1 at work/);
  terminal.key('down');
  await terminal.waitFor(() => row(terminal, 'ann').startsWith('❯'));
  terminal.key('down');
  await terminal.waitFor('Agents and Tasks');
  terminal.type('bob');
  await terminal.waitFor(/⌕ bob/);
  terminal.key('enter');
  await terminal.waitFor('has shut down: it hears nothing more');
  terminal.type('hello');
  await terminal.waitFor('❯ hello');
  terminal.key('enter');
  await terminal.waitFor(/bob has shut down; start a new/);
  expect(terminal.screen().at(-1)).toContain('❯ hello');
  terminal.key('esc');
  await terminal.waitFor('esc leaves');
  await leave(terminal);
  await submit(terminal, 'Ask ann again.');
  await until('ann to end', () => memberOf(on.repo, 'ann')?.state === 'ended');
  await terminal.waitFor(/✉ ann +has shut down/);
  await terminal.waitUntilGone('Team crew ·');

  const logged = async () => jsonLines((await on.run(['team', 'log', '--json'])).stdout);
  const states = async () => new Set((await logged()).flatMap(({ state }) => state ?? []));
  await expect.poll(states, { timeout: 20_000 }).toEqual(new Set(['read']));
  const log = await logged();
  expectOrder(log);
  const ended = new Map(MATES.map((name) => [name, memberOf(on.repo, name)]));
  await submit(terminal, 'Delete the team.');
  await terminal.waitFor('Team crew deleted');
  await expectGone(on);

  expect(await on.repo.git('rev-parse', 'HEAD')).toBe(head);
  expect(await on.repo.git('status', '--porcelain')).toBe('');
  const commits = await on.repo.git('log', '--all', '--format=%s', `${head}..`, '--branches');
  expect(commits.split('\n').filter((subject) => subject.startsWith('Part '))).toHaveLength(4);
  for (const name of new Set(log.filter(isDone).map(({ from }) => String(from)))) {
    const place = ended.get(name as (typeof MATES)[number])?.cwd ?? '';
    const branch = await on.repo.git('-C', place, 'branch', '--show-current');
    const farewell = log.find((line) => line.protocol === 'teammate_terminated' && line.from === name);
    const parts = log.filter((line) => isDone(line) && line.from === name);
    expect(farewell?.summary).toContain(`${place} on branch ${branch} (${parts.length} file`);
    for (const file of (await on.repo.git('diff', '--name-only', head, branch)).split('\n'))
      expect(farewell?.summary).toContain(file);
  }
  expect(on.server.violations).toEqual([]);
});

type Line = Readonly<Record<string, unknown>>;
const isDone = ({ type, summary }: Line): boolean =>
  type === 'message' && /^task \d is done and committed$/.test(String(summary));

/** Each letter once, its sending before its hearing, the protocols in their order, an idle notice after each work. */
const expectOrder = (log: readonly Line[]): void => {
  const letters = log.filter(({ type }) => type === 'message');
  expect(new Set(letters.map(({ id }) => id)).size).toBe(letters.length);
  expect(
    letters
      .filter(isDone)
      .map(({ summary }) => summary)
      .toSorted(),
  ).toEqual([1, 2, 3, 4].map((n) => `task ${n} is done and committed`));
  for (const { id, state } of letters) {
    expect(state).toBe('read');
    const hearings = log.filter((line) => line.type === 'heard' && line.id === id);
    expect(hearings.length).toBeLessThanOrEqual(1);
    if (hearings.length > 0)
      before(
        log,
        (line) => line.type === 'message' && line.id === id,
        (line) => line === hearings[0],
      );
  }
  const protocols = (name: string): readonly unknown[] =>
    letters
      .filter(({ from, to, protocol }) => (from === name || to === name) && protocol !== 'idle_notification')
      .flatMap(({ protocol }) => protocol ?? []);
  const end = ['shutdown_request', 'shutdown_approved', 'teammate_terminated'];
  expect(protocols('ann')).toEqual(['shutdown_request', 'shutdown_rejected', ...end]);
  expect(protocols('bob')).toEqual(end);
  const plan = ['plan_approval_request', 'plan_approval_response'];
  expect(protocols('cleo')).toEqual([...plan, ...plan, ...end]);
  for (const name of MATES) {
    const own = log.filter(({ agent, type }) => agent === name && (type === 'said' || type === 'message'));
    const kinds = own
      .map(({ type, protocol }) => protocol ?? type)
      .filter((kind) => kind !== 'shutdown_rejected');
    expect(kinds.join(' ')).not.toContain('idle_notification idle_notification');
  }
};

const expectGone = async (on: Scene): Promise<void> => {
  for (const folder of ['teams', 'tasks'])
    expect(existsSync(join(on.repo.state, folder, 'crew'))).toBe(false);
  expect(JSON.parse((await on.run(['team', 'list', '--json'])).stdout)).toEqual([]);
};
