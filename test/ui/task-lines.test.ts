import { expect, it } from 'vitest';
import type { TaskRow } from '../../src/contract/screen.ts';
import { plain } from '../../src/front/ui/span.ts';
import { taskLines } from '../../src/front/ui/task-lines.ts';

const look = { width: 60, links: false };
const task = (id: number, status: TaskRow['status'], more: Partial<TaskRow> = {}): TaskRow => ({
  id: String(id),
  subject: `Job ${id}`,
  status,
  waitsFor: [],
  mine: false,
  ...more,
});
const shown = (tasks: readonly TaskRow[], problems: readonly string[] = [], most = 10) =>
  taskLines({ tasks, problems }, look, 100_000, most).map((line) => plain(line).trimEnd());

it('a list shows state, number, owner, time and what is waited for', () => {
  expect(
    shown([
      task(1, 'completed', { owner: 'ann', startedAt: 0, endedAt: 24_000 }),
      task(2, 'in_progress', { owner: 'bob', startedAt: 36_000, subject: 'A long\u001b[31m one' }),
      task(3, 'pending', { waitsFor: ['2'] }),
      task(4, 'cancelled'),
    ]),
  ).toEqual([
    '',
    '  ✓ 1 Job 1       ann · 24s',
    '  ▸ 2 A long one  bob · 1m 4s',
    '  ○ 3 Job 3       after 2',
    '  ✕ 4 Job 4',
    '  1 of 4 done · ↓ choose or cancel · ctrl+t hides',
  ]);
});

it('where not all fit, what is being done stays, then what could be done, in order of number', () => {
  const tasks = [
    task(1, 'completed', { endedAt: 5 }),
    task(2, 'completed', { endedAt: 9 }),
    task(3, 'pending', { waitsFor: ['9'] }),
    task(4, 'pending'),
    task(9, 'in_progress'),
  ];
  expect(shown(tasks, [], 2).slice(1, 3)).toEqual(['  ○ 4 Job 4', '  ▸ 9 Job 9']);
  expect(
    shown(tasks, [], 4)
      .slice(1, 5)
      .map((row) => row.slice(4, 5)),
  ).toEqual(['2', '3', '4', '9']);
  expect(shown(tasks, [], 4).at(-1)).toMatch(/2 of 5 done · 1 not shown/);
});

it('a file that cannot be read is said, and clipped to the width', () => {
  const rows = shown([], [`/home/x/7.json is not a readable task: ${'it is broken '.repeat(20)}`]);
  expect(rows).toEqual(['', '  no tasks · ctrl+t hides', expect.stringMatching(/^ {2}▲ \/home\/x\/7\.json/)]);
  expect(rows[2]?.length).toBeLessThanOrEqual(60);
});
