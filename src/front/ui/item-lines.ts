import { errorText } from '../../lib/error-text.ts';
import { safeLine, safeText } from '../../lib/safe-text.ts';
import type { Item } from './item.ts';
import { codeRows, markdown } from './markdown.ts';
import { as, blank, type Line, type Style, span } from './span.ts';
import { duration, type Look, toolLines } from './tool-lines.ts';
import { cells } from './width.ts';
import { hardWrap, splitLines, wrap, wrapUnder } from './wrap.ts';

/** A finished item as rows, with the empty row that sets it off. */
export function itemLines(item: Item, look: Look): Line[] {
  const rows = painted(item, look);
  const close = (item.kind === 'markdown' || item.kind === 'code') && item.close;
  return rows.length === 0 || close ? rows : [blank, ...rows];
}

/**
 * Items one after the other. Calls that take a single row stand close together, like the rows of a list; `row`
 * says whether the last one was such a call.
 */
export function stackedLines(
  items: readonly Item[],
  look: Look,
  after = false,
): { readonly lines: readonly Line[]; readonly row: boolean } {
  let row = after;
  const lines = items.flatMap((item) => {
    const whole = itemLines(item, look);
    const isRow = item.kind === 'tool' && whole.length === 2;
    const close = isRow && row;
    row = isRow;
    return close ? whole.slice(1) : whole;
  });
  return { lines, row };
}

/** What a painter cannot manage is shown as it came: a finished turn must never be lost to its looks. */
function painted(item: Item, look: Look): Line[] {
  try {
    return bodyLines(item, look);
  } catch (error) {
    const text =
      item.kind === 'tool'
        ? item.call.text
        : 'text' in item
          ? item.text
          : item.kind === 'shell'
            ? item.output
            : '';
    const why = errorText(error);
    return splitLines([
      span(safeText(text)),
      as('faint', `\n(shown as it came: ${safeLine(why, 120)})`),
    ]).flatMap((row) => hardWrap(row, look.width - 1));
  }
}

const gutter: Line = [span('  ')];
const indented = (rows: readonly Line[]): Line[] =>
  rows.map((row) => (row.length > 0 ? [...gutter, ...row] : row));

function bodyLines(item: Item, look: Look): Line[] {
  const inner = { ...look, width: look.width - 3 };
  switch (item.kind) {
    case 'user':
      return userLines(look.full ? item.text : (item.short ?? item.text), item.from, look);
    case 'markdown':
      return indented(markdown(item.text, inner));
    case 'code': {
      const before =
        item.before === '' ? 0 : codeRows(item.before.replace(/\n$/, ''), item.language, inner).length;
      return indented(codeRows(item.before + item.text, item.language, inner).slice(before));
    }
    case 'thought':
      return thoughtLines(item, look);
    case 'tool':
      return toolLines(item.call, look);
    case 'agent': {
      const facts = [
        item.status === 'done' ? 'done' : item.status,
        item.toolCalls > 0 ? `${item.toolCalls} tool ${item.toolCalls === 1 ? 'use' : 'uses'}` : '',
        item.tokens > 0 ? `${short(item.tokens)} tokens` : '',
        duration(item.ms),
      ]
        .filter(Boolean)
        .join(' · ');
      const head: Line = [
        as(
          item.status === 'done' ? 'ok' : item.status === 'failed' ? 'error' : 'dim',
          item.status === 'done' ? '● ' : item.status === 'failed' ? '✕ ' : '◌ ',
        ),
        span('Agent ', { bold: true }),
        span(item.label),
        as('dim', `  ${facts}`),
      ];
      return [
        head,
        ...(look.full && item.text
          ? indented(markdown(item.text, inner))
          : item.status === 'failed'
            ? [[as('faint', '  └ '), as('error', safeLine(item.text, 300))]]
            : []),
      ];
    }
    case 'note':
      return noteLines(item, look);
    case 'print':
      return indented(markdown(item.text, inner));
    case 'divider':
      return [divider(item.text, look.width)];
    case 'shell':
      return [
        [as('shell', '! '), span(item.command, { bold: true })],
        ...splitLines([
          as(item.failed ? 'error' : 'dim', item.output.replace(/\t/g, '    ').trimEnd() || '(no output)'),
        ])
          .flatMap((row) => hardWrap(row, inner.width))
          .map((row): Line => [...gutter, ...row]),
      ];
  }
}

function userLines(whole: string, from: string | undefined, look: Look): Line[] {
  const text = look.cwd ? whole.replaceAll(`\n+ ${look.cwd}/`, '\n+ ') : whole;
  const mark: Line = from === undefined ? [as('accent', '❯ ', { bold: true })] : [as('plan', `✉ ${from}  `)];
  const hang: Line = [span(' '.repeat(mark.reduce((sum, piece) => sum + cells(piece.text), 0)))];
  const { shown, more } = look.full ? { shown: text.replace(/\s+$/, ''), more: [] } : folded(text);
  return [...splitLines([as('user', shown)]), ...more].flatMap((row, index) =>
    wrapUnder(row, look.width - 1, index === 0 ? mark : hang, hang),
  );
}

const MOST_USER_CHARS = 4_000;
const MOST_USER_LINES = 40;

/** A large paste is in the conversation whole; on the screen its beginning is enough. */
const folded = (text: string): { readonly shown: string; readonly more: readonly Line[] } => {
  const whole = text.replace(/\s+$/, '');
  const shown = whole
    .slice(0, MOST_USER_CHARS)
    .split('\n')
    .slice(0, MOST_USER_LINES)
    .join('\n')
    .toWellFormed();
  const left = whole.length - shown.length;
  return left <= 0
    ? { shown: whole, more: [] }
    : { shown, more: [[as('faint', `… ${left.toLocaleString('en')} more characters (Ctrl+O)`)]] };
};

function thoughtLines(item: Extract<Item, { kind: 'thought' }>, look: Look): Line[] {
  const seconds = Math.max(1, Math.round(item.ms / 1000));
  const head: Line = [as('faint', `✻ Thought for ${duration(seconds * 1000)}`)];
  if (!look.full) return [head];
  return [head, ...indented(wrap([as('dim', item.text.trim(), { italic: true })], look.width - 3))];
}

function noteLines(item: Extract<Item, { kind: 'note' }>, look: Look): Line[] {
  const role = item.level === 'error' ? 'error' : item.level === 'warn' ? 'warn' : 'dim';
  const mark: Line = [as(role, item.level === 'error' ? '✕ ' : item.level === 'warn' ? '▲ ' : '· ')];
  return splitLines([as(role, item.text.trim())]).flatMap((row, index) =>
    wrapUnder(row, look.width - 1, index === 0 ? mark : gutter, gutter),
  );
}

/** `── text ─────`, kept short of the edge so that a narrower window does not break it. */
export function divider(text: string, width: number, style: Style = { role: 'dim' }): Line {
  const room = Math.min(width - 1, 72) - cells(text) - 4;
  return [as('faint', '── '), span(text, style), as('faint', ` ${'─'.repeat(Math.max(2, room))}`)];
}

/** 950, 1.2k, 34k, 1.2m. */
export function short(count: number): string {
  if (count < 1000) return String(count);
  if (count < 10_000) return `${(count / 1000).toFixed(1).replace(/\.0$/, '')}k`;
  if (count < 1_000_000) return `${Math.round(count / 1000)}k`;
  return `${(count / 1_000_000).toFixed(1).replace(/\.0$/, '')}m`;
}

/** Unfinished markdown, for the live part. */
export const draftLines = (text: string, look: Look): Line[] =>
  indented(markdown(text, { ...look, width: look.width - 3 }));
