import type { Display } from '../../contract/display.ts';
import { safeLine, safeText } from '../../lib/safe-text.ts';
import { diffLines, patchRows } from './diff-lines.ts';
import type { Highlighter } from './highlight.ts';
import { languageOf } from './highlight.ts';
import { type ToolCall, toolLabel } from './item.ts';
import { codeRows, markdown } from './markdown.ts';
import { as, type Line, type Role, span } from './span.ts';
import { clip } from './width.ts';
import { clipLine, hardWrap, lineCells, splitLines, wrap } from './wrap.ts';

export interface Look {
  readonly width: number;
  readonly links: boolean;
  readonly highlight?: Highlighter;
  /** Everything in full: the transcript view. */
  readonly full?: boolean;
  /** Shown instead of the home directory. */
  readonly cwd?: string;
}

const previewRows = 4;
const failedTail = 8;
const bulletOf: Readonly<Record<ToolCall['status'], Role>> = {
  running: 'running',
  ok: 'ok',
  error: 'error',
  denied: 'warn',
  cancelled: 'dim',
};

/** `● Bash npm test`, and under it what came of it; a result of few words stands beside it. */
export function toolLines(call: ToolCall, look: Look, now?: number): Line[] {
  const head = headLine(call, look, now);
  const words = look.full ? undefined : fewWords(call);
  if (words === undefined) return [head, ...resultLines(call, look)];
  const row = [...head, as('dim', `  ${words}`)];
  if (lineCells(row) >= look.width) return [head, ...resultLines(call, look)];
  return call.display?.kind === 'plan' ? [row, ...hung(planRows(call.display, inside(look)), look)] : [row];
}

/** The whole of what is shown of a result that was summed up. */
function fewWords({ status, display }: ToolCall): string | undefined {
  if (status !== 'ok' || !display || display.kind === 'diff') return undefined;
  if (display.kind === 'text' && display.failed) return undefined;
  return display.summary === undefined || display.summary === '' ? undefined : safeLine(display.summary);
}

/** The one line of a call. Its glyph tells the state without colour too. */
export function headLine(call: ToolCall, look: Look, now?: number): Line {
  const glyph =
    call.status === 'running' ? '○' : call.status === 'ok' ? '●' : call.status === 'cancelled' ? '◌' : '✕';
  const name = safeLine(toolLabel(call.tool), 60);
  const named = call.display?.kind === 'plan' ? call.display.title : '';
  const whole = named === '' ? shorter(safeText(call.subject), look.cwd).trim() : safeLine(named);
  const rows = whole.split('\n');
  const subject =
    rows.length > 1 ? `${rows[0]} ⋯ +${rows.length - 1} ${rows.length === 2 ? 'line' : 'lines'}` : whole;
  const head: Line = [
    as(bulletOf[call.status], `${glyph} `),
    span(name, { bold: true }),
    span(' '),
    span(clip(subject, Math.max(8, look.width - name.length - 14))),
  ];
  const counts: Line = call.display?.kind === 'diff' ? [span('  '), ...changeCounts(call.display)] : [];
  const seconds = now !== undefined && call.status === 'running' ? Math.floor((now - call.since) / 1000) : 0;
  const time: Line = seconds >= 2 ? [as('dim', `  ${duration(seconds * 1000)}`)] : [];
  return clipLine([...head, ...counts, ...time], look.width);
}

/** `+3 -1`; a side without changes is left out. */
export const changeCounts = ({
  added,
  removed,
}: {
  readonly added: number;
  readonly removed: number;
}): Line => [
  ...(added > 0 || removed === 0 ? [as('added', `+${added}`)] : []),
  ...(added > 0 && removed > 0 ? [span(' ')] : []),
  ...(removed > 0 ? [as('removed', `-${removed}`)] : []),
];

/** Whole seconds as `5s`, `2m 10s`, `1h 3m`. */
export function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m ${seconds % 60}s` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

function resultLines(call: ToolCall, look: Look): Line[] {
  if (call.status === 'running') return call.progress === '' ? [] : hung(tailRows(call.progress, look), look);
  const inner = inside(look);
  if (call.status === 'denied')
    return hung(
      reason(`Not allowed: ${call.text.replace(/^(not allowed|denied): /i, '')}`, 'warn', inner),
      look,
    );
  if (call.status === 'cancelled') return hung([[as('dim', 'Interrupted')]], look);
  if (call.display) return hung(displayLines(call.display, inner, call.status === 'error'), look);
  return hung(textRows(worded(call.text), inner, call.status === 'error'), look);
}

/** Results of task, team and plan tools are one JSON object for the model; a person reads its message or fields. */
function worded(text: string): string {
  if (!text.startsWith('{')) return text;
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields !== 'object' || fields === null) return text;
    if ('message' in fields && typeof fields.message === 'string') return fields.message;
    return Object.entries(fields)
      .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join('\n');
  } catch {
    return text;
  }
}

/** What a person sees of a result, folded unless everything is wanted. */
function displayLines(display: Display, look: Look, failed = false): Line[] {
  switch (display.kind) {
    case 'text': {
      const wrong = failed || display.failed === true;
      if (display.prose) return fold(wrap([as('dim', safeText(display.body))], look.width), 16, look);
      // Where a summary tells of the failure, the output itself is as it would be in a terminal.
      const body = textRows(display.body, look, wrong, display.summary ? 'dim' : undefined);
      return !display.summary
        ? body
        : [...summary(display.summary, failed, look), ...(look.full || failed ? body : [])];
    }
    case 'diff': {
      const rows = patchRows(display.patch);
      const most = look.full ? rows.length : display.created ? 10 : 60;
      const shown = rows.length <= most + 1 ? rows : rows.slice(0, most);
      return folded(diffLines(shown, display.path, look.width, look.highlight), rows.length - shown.length);
    }
    case 'code': {
      const first = summary(display.summary ?? `${display.body.split('\n').length} lines`, failed, look);
      return look.full
        ? [...first, ...codeRows(safeText(display.body), languageOf(display.path), look)]
        : first;
    }
    case 'markdown':
      return [
        ...(!display.summary ? [] : summary(display.summary, failed, look)),
        ...(look.full || !display.summary ? fold(markdown(safeText(display.body), look), 12, look) : []),
      ];
    case 'plan':
      return [...summary(display.summary, failed, look), ...planRows(display, look)];
  }
}

/** A person works with a plan while it is carried out: it stays on the screen. */
const planRows = ({ body }: { readonly body: string }, look: Look): Line[] =>
  fold(markdown(safeText(body), look), 40, look);

const summary = (text: string, failed: boolean, look: Look): Line[] =>
  wrap([as(failed ? 'error' : 'dim', safeLine(text))], look.width);
const reason = (text: string, role: Role, look: Look): Line[] =>
  fold(plainRows(text, role, look), previewRows, look);

function textRows(text: string, look: Look, failed: boolean, role: Role = failed ? 'error' : 'dim'): Line[] {
  const clean = safeText(text).replace(/^\n+|\s+$/g, '');
  if (clean === '') return [[as('faint', '(no output)')]];
  const rows = clean.split('\n');
  // Only what is shown is painted: an output may have a hundred thousand lines.
  const painted = (some: readonly string[]) => plainRows(some.join('\n'), role, look);
  const [head, tail] = failed ? [3, failedTail] : [previewRows, 0];
  const missing = rows.length - head - tail;
  if (look.full || missing <= 1) return painted(rows);
  // What went wrong stands at the end more often than at the beginning.
  return [...folded(painted(rows.slice(0, head)), missing), ...(tail > 0 ? painted(rows.slice(-tail)) : [])];
}

const plainRows = (text: string, role: Role, look: Look): Line[] =>
  splitLines([as(role, safeText(text).replace(/\t/g, '    '))]).flatMap((line) =>
    look.full ? hardWrap(line, look.width) : [clipLine(line, look.width)],
  );

const folded = (rows: readonly Line[], missing: number): Line[] =>
  missing > 0 ? [...rows, [as('faint', `… +${missing} lines (ctrl+o)`)]] : [...rows];

/** The beginning of something long and how much is missing. */
function fold(rows: readonly Line[], most: number, look: Look): Line[] {
  if (look.full || rows.length <= most + 1) return [...rows];
  return folded(rows.slice(0, most), rows.length - most);
}

/** The last rows of live output. */
const tailRows = (text: string, look: Look): Line[] => {
  const rows = safeText(text).replace(/\s+$/, '').split('\n');
  const shown = rows
    .slice(-3)
    .map((row): Line => clipLine([as('faint', row.replace(/\t/g, '    '))], look.width - 4));
  return rows.length > 3 ? [[as('faint', `… ${rows.length - 3} lines above`)], ...shown] : shown;
};

/** What is left to rows that hang under a tool line. */
const inside = (look: Look): Look => ({ ...look, width: look.width - 4 });

/** Hangs rows under their tool line. */
const hung = (rows: readonly Line[], _look: Look): Line[] =>
  rows.map((row, index) => [as('faint', index === 0 ? '  └ ' : '    '), ...row]);

/** Paths inside the working directory without it. */
export const shorter = (text: string, cwd: string | undefined): string =>
  cwd && text.startsWith(`${cwd}/`) ? text.slice(cwd.length + 1) : text;
