import type { TaskBoard, TaskRow } from '../../contract/screen.ts';
import { safeLine } from '../../lib/safe-text.ts';
import { as, blank, type Line, type Span, span } from './span.ts';
import { duration, type Look } from './tool-lines.ts';
import { cells } from './width.ts';
import { clipLine, lineCells } from './wrap.ts';

/** The task list (Ctrl+T): state, number, subject, and who works on it how long or what it waits for. */
export function taskLines({ tasks, problems }: TaskBoard, look: Look, now: number, most: number): Line[] {
  const troubles = problems.map(
    (text): Line => clipLine([as('warn', '  ▲ '), as('dim', safeLine(text, 300))], look.width - 1),
  );
  if (tasks.length === 0) return [blank, [as('faint', '  no tasks · ctrl+t hides')], ...troubles];
  const shown = chosen(tasks, most);
  const digits = Math.max(...shown.map(({ id }) => id.length));
  const told = shown.filter((task) => taskFacts(task, now) !== '');
  const widest = Math.max(8, ...told.map(({ subject }) => cells(safeLine(subject, 200))));
  const column = Math.min(widest, Math.floor(look.width * 0.6));
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const hidden = tasks.length - shown.length;
  const count = `${done} of ${tasks.length} done${hidden > 0 ? ` · ${hidden} not shown` : ''}`;
  return [
    blank,
    ...shown.map((task) => taskLine(task, look, now, digits, column)),
    ...troubles.slice(0, 2),
    [as('faint', `  ${count} · ↓ choose or cancel · ctrl+t hides`)],
  ];
}

const marks = {
  completed: as('ok', '✓ '),
  in_progress: as('running', '▸ '),
  pending: as('dim', '○ '),
  cancelled: as('dim', '✕ '),
} as const;

function taskLine(task: TaskRow, look: Look, now: number, digits: number, column: number): Line {
  const head: Line = [span('  '), marks[task.status], as('faint', `${task.id.padStart(digits)} `)];
  const facts = taskFacts(task, now);
  if (facts === '') return clipLine([...head, subjectOf(task)], look.width - 1);
  const left = clipLine([...head, subjectOf(task)], column + digits + 5);
  const gap = Math.max(2, column + digits + 7 - lineCells(left));
  return clipLine([...left, span(' '.repeat(gap)), as('faint', facts)], look.width - 1);
}

/** `bob · 1m 4s`, `after 2, 3`. */
export const taskFacts = ({ owner, startedAt, endedAt, waitsFor }: TaskRow, now: number): string =>
  [
    ...(owner ? [safeLine(owner, 30)] : []),
    ...(startedAt === undefined ? [] : [duration(Math.max(0, (endedAt ?? now) - startedAt))]),
    ...(waitsFor.length > 0 ? [`after ${waitsFor.join(', ')}`] : []),
  ].join(' · ');

function subjectOf({ subject, status }: TaskRow): Span {
  const text = safeLine(subject, 200);
  if (status === 'in_progress') return span(text, { bold: true });
  if (status === 'pending') return span(text);
  return as('dim', text, { strike: status === 'cancelled' });
}

/** Where not all fit: what is being done, then what could be, what waits, and what ended last. */
const chosen = (tasks: readonly TaskRow[], most: number): readonly TaskRow[] => {
  if (tasks.length <= most) return tasks;
  const rank = ({ status, waitsFor }: TaskRow): number =>
    status === 'in_progress' ? 0 : status === 'pending' ? (waitsFor.length === 0 ? 1 : 2) : 3;
  const recent = ({ endedAt = 0 }: TaskRow): number => -endedAt;
  const kept = new Set(
    [...tasks]
      .sort((a, b) => rank(a) - rank(b) || (rank(a) === 3 ? recent(a) - recent(b) : 0))
      .slice(0, most),
  );
  return tasks.filter((task) => kept.has(task));
};
