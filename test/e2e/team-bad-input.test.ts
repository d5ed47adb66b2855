/** Tasks and mail that somebody damaged, clocks that jump, a disk that is full in mid-claim: one clear error, good neighbours unharmed. */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { isLead, isMate, killedLead, memberOf } from '../support/crew.ts';
import { gate, pauseAfter, say, use } from '../support/replies.ts';
import { entriesOf, type Scene, scene, until, untilFile } from '../support/scene.ts';

// Each test starts several programs.
vi.setConfig({ testTimeout: 90_000 });

const SESSION = '11111111-2222-4333-8444-555555555555';
const DAY = 24 * 3_600_000;
const support = (file: string): string => join(import.meta.dirname, '../support', file);
const list = { CLAUDE_CODE_TASK_LIST_ID: 'board' };
const create = (subject: string) => use('TaskCreateTool', { subject, description: 'D' });
const claim = (taskId: string, owner: string) =>
  use('TaskUpdateTool', { taskId, status: 'in_progress', owner });
const fileOf = (on: Scene, id: string): string => join(on.repo.state, 'tasks', 'board', `${id}.json`);
const resultsOf = (on: Scene) => on.server.requests.at(-1)?.results ?? [];
/** A program whose clock is off. */
const clock = (ms: number) => ({
  NODE_OPTIONS: `--import ${support('other-clock.ts')}`,
  CLOCK_MS: String(ms),
});

it.each<[string, (text: string) => string, RegExp]>([
  ['cut short', (text) => text.slice(0, 40), /not whole JSON/],
  ['edited by hand into something else', (text) => text.replace('"pending"', '"paused"'), /status/],
  [
    'of a newer version',
    (text) => text.replace('{', '{"format": 9,'),
    /newer version of Coppice \(format 9\)/,
  ],
])(
  'a task file that is %s is named by tools and command alike; the others are worked on',
  async (_, damage, said) => {
    await using on = await scene([[create('one'), create('two'), create('three')], say('made')], {
      env: list,
    });
    expect(await on.ask('go')).toMatchObject({ code: 0 });
    const damaged = damage(readFileSync(fileOf(on, '2'), 'utf8'));
    writeFileSync(fileOf(on, '2'), damaged);
    on.server.script(
      [use('TaskListTool', {}), claim('2', 'me'), claim('1', 'me'), create('four')],
      say('seen'),
    );
    expect(await on.ask('again')).toMatchObject({ code: 0 });
    const [listed, refused, claimed, made] = resultsOf(on);
    const { tasks, problems } = JSON.parse(listed?.text ?? '');
    expect(tasks.map((task: { subject: string }) => task.subject)).toEqual(['one', 'three']);
    expect(problems).toEqual([expect.stringMatching(said)]);
    expect(problems[0]).toContain(fileOf(on, '2'));
    expect(refused).toMatchObject({ error: true, text: expect.stringMatching(said) });
    expect([claimed?.error, made?.error]).toEqual([false, false]);
    const shown = await on.run(['tasks', '--list', 'board', '--json']);
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringMatching(said) });
    expect(shown.stderr.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(shown.stdout).tasks.map((task: { id: string }) => task.id)).toEqual(['1', '3', '4']);
    expect(readFileSync(fileOf(on, '2'), 'utf8')).toBe(damaged);
    expect(on.server.violations).toEqual([]);
  },
);

/** Ann is there, her lead is dead. */
const orphan = async (on: Scene): Promise<void> => {
  on.server.lane(isMate('ann'), say('Ready.'));
  await killedLead(
    on,
    ['ann'],
    () => until('ann to rest', () => memberOf(on.repo, 'ann')?.state === 'idle'),
    {
      flags: ['--session-id', SESSION],
    },
  );
  // She tells it after she has noted it.
  await untilFile(inbox(on), 'idle_notification');
};
const inbox = (on: Scene): string => join(on.repo.state, 'teams', 'crew', 'inboxes', 'team-lead.jsonl');
const letter = (text: string): string => {
  const origin = { kind: 'mail', from: 'ann', id: text };
  return `${JSON.stringify({ mail: { id: text, text, origin, at: new Date().toISOString() } })}\n`;
};
/** What the lead has taken in of letters in words. */
const heard = (on: Scene): readonly unknown[] => {
  const path = on.transcripts().find((one) => one.endsWith(`${SESSION}.jsonl`)) ?? '';
  return entriesOf(path).flatMap((entry) => {
    const words = JSON.stringify(entry).match(/<teammate-message[^>]*>\\n(word \d+)/);
    return words ? [words[1]] : [];
  });
};

it('garbage in a mailbox is named by its line, once; the letters around it are heard once and in order', async () => {
  await using on = await scene();
  await orphan(on);
  on.server.always(isLead, say('I see.'));
  appendFileSync(inbox(on), `${letter('word 1')}rubbish \u0000\n{"mail":{"id":7}}\n${letter('word 2')}`);
  const lines = readFileSync(inbox(on), 'utf8').split('\n').length - 1;
  const ran = await on.ask('Go on.', '--resume', SESSION);
  expect(ran).toMatchObject({ code: 0 });
  const named = ran.stderr.split('\n').filter((line) => line.includes('is not a readable letter'));
  expect(named).toEqual(
    [lines - 2, lines - 1].map((line) => expect.stringContaining(`Line ${line} of ${inbox(on)}`)),
  );
  expect(heard(on)).toEqual(['word 1', 'word 2']);
  const again = await on.ask('Once more.', '--resume', SESSION);
  expect(again.stderr).not.toContain('readable letter');
  expect(heard(on)).toEqual(['word 1', 'word 2']);
  expect(on.server.violations).toEqual([]);
});

describe.each([
  ['forward', 2 * DAY],
  ['back', -2 * DAY],
])('a clock that jumps %s', (_, ms) => {
  it('takes no task from a living owner, and gives those of a dead one back', async () => {
    await using on = await scene([], { env: list });
    const held = gate();
    on.server.lane(
      ({ raw }) => raw.includes('I own it.'),
      [create('one')],
      [claim('1', 'ann')],
      ...[pauseAfter(say('Working on it'), 2, held)],
    );
    const owner = on.start(['-p', 'I own it.']);
    owner.endInput();
    await untilFile(fileOf(on, '1'), 'in_progress');
    const look = [claim('1', 'bob'), use('TaskGetTool', { taskId: '1' })];
    on.server.script(look, say('seen'));
    expect(await on.run(['-p', 'go'], { env: clock(ms) })).toMatchObject({ code: 0 });
    expect(resultsOf(on)).toMatchObject([
      { error: true, text: expect.stringContaining('ann') },
      { error: false, text: expect.stringMatching(/"status":"in_progress".*"owner":"ann"/) },
    ]);
    owner.kill('SIGKILL');
    await owner.ended;
    held.open();
    on.server.script([claim('1', 'bob')], say('taken'));
    expect(await on.run(['-p', 'go'], { env: clock(ms) })).toMatchObject({ code: 0 });
    expect(resultsOf(on)).toMatchObject([{ error: false }]);
    expect(JSON.parse(readFileSync(fileOf(on, '1'), 'utf8')).owner).toBe('bob');
  });

  it('changes neither the order of mail nor how often it is heard', async () => {
    await using on = await scene();
    await orphan(on);
    on.server.always(isLead, say('I see.'));
    on.server.always(isMate('ann'), say('Ready.'));
    const goOn = (off: number) => on.run(['-p', 'Go on.', '--resume', SESSION], { env: clock(off) });
    appendFileSync(inbox(on), letter('word 1') + letter('word 2'));
    expect(await goOn(ms)).toMatchObject({ code: 0, stderr: '' });
    appendFileSync(inbox(on), letter('word 3'));
    expect(await goOn(0)).toMatchObject({ code: 0, stderr: '' });
    appendFileSync(inbox(on), letter('word 4'));
    expect(await goOn(-ms)).toMatchObject({ code: 0, stderr: '' });
    expect(heard(on)).toEqual([1, 2, 3, 4].map((n) => `word ${n}`));
    expect(on.server.violations).toEqual([]);
  });
});

it.each(['1', '2'])(
  'a disk that is full at step %s of a claim refuses that claim alone, leaves no half of it, and the next goes on',
  async (at) => {
    await using on = await scene([[create('one'), create('two')], say('made')], { env: list });
    expect(await on.ask('go')).toMatchObject({ code: 0 });
    const before = readFileSync(fileOf(on, '1'), 'utf8');
    const steps = { NODE_OPTIONS: `--import ${support('kill-inside.ts')}`, FULL_FROM: at, FULL_TO: at };
    on.server.script([claim('1', 'me')], [claim('2', 'me')], [use('TaskListTool', {})], say('done'));
    expect(await on.run(['-p', 'claim'], { env: steps })).toMatchObject({ code: 0 });
    const [first, second] = on.server.requests.slice(-3).map(({ results }) => results[0]);
    expect(first).toMatchObject({ error: true, text: expect.stringMatching(/no space left .*ENOSPC/) });
    expect(readFileSync(fileOf(on, '1'), 'utf8')).toBe(before);
    expect(second).toMatchObject({ error: false });
    expect(JSON.parse(resultsOf(on)[0]?.text ?? '').tasks).toMatchObject([
      { id: '1', status: 'pending' },
      { id: '2', status: 'in_progress', owner: 'me' },
    ]);
    const left = readdirSync(join(on.repo.state, 'tasks', 'board'));
    expect(left.toSorted()).toEqual(['.highwatermark', '1.json', '2.json']);
    expect(on.server.violations).toEqual([]);
  },
);
