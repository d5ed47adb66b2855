import type { Mode } from '../../contract/mode.ts';
import type { SlashEntry } from '../../contract/screen.ts';
import type { Drawn } from './ask-lines.ts';
import { layout, placeOf, type Row } from './editor/layout.ts';
import type { Menu, Prompt } from './prompt.ts';
import { as, type Line, type Role, span } from './span.ts';
import { selectionOf } from './vim/vim.ts';
import { cells, clip } from './width.ts';
import { clipLine } from './wrap.ts';

/** The colour of a mode wherever it is named. */
export const modeRole = (mode: Mode): Role =>
  mode === 'plan'
    ? 'plan'
    : mode === 'acceptEdits'
      ? 'edits'
      : mode === 'bypassPermissions'
        ? 'danger'
        : mode === 'dontAsk'
          ? 'warn'
          : 'border';

/** The colours of a session's own (`/color`), as the themes have them. */
const colourRole: Readonly<Record<string, Role>> = {
  red: 'error',
  orange: 'number',
  yellow: 'warn',
  green: 'ok',
  cyan: 'plan',
  blue: 'link',
  purple: 'edits',
  pink: 'shell',
};

/** Columns of a prompt row that text can take. */
export const promptWidth = (columns: number): number => Math.max(4, columns - 3);

/** The prompt between two rules, at most `most` rows of text, scrolled so that the caret is in view. */
export function promptLines(
  prompt: Prompt,
  mode: Mode,
  columns: number,
  most: number,
  hint: string,
  found?: string,
  colour?: string,
): Drawn {
  const ruled = prompt.shell ? 'shell' : (colourRole[colour ?? ''] ?? modeRole(mode));
  const rule: Line = [as(ruled, '─'.repeat(Math.max(1, columns - 1)))];
  const text = found ?? prompt.buffer.text;
  const caretAt = found === undefined ? prompt.buffer.caret : found.length;
  const rows = layout(text, promptWidth(columns));
  const place = placeOf(rows, caretAt);
  const from = Math.max(0, Math.min(place.row - Math.floor(most / 2), rows.length - most));
  const shown = rows.slice(from, from + most);
  const sign: Line = prompt.shell
    ? [as('shell', '! ', { bold: true })]
    : [
        as(mode === 'default' ? 'accent' : modeRole(mode) === 'border' ? 'accent' : modeRole(mode), '❯ ', {
          bold: true,
        }),
      ];
  const chosen = found === undefined ? selectionOf(prompt) : undefined;
  const lines = shown.map(
    (row, index): Line => [
      ...(from + index === 0 ? sign : [span('  ')]),
      ...(chosen ? selected(row, chosen) : tinted(row.text)),
    ],
  );
  const ghost = found === undefined && prompt.ghost ? clip(prompt.ghost, columns - 4 - cells(text)) : '';
  if (ghost !== '') lines[0] = [...(lines[0] ?? []), as('faint', ghost)];
  if (text === '' && hint !== '') lines[0] = [...sign, as('faint', clip(hint, columns - 4))];
  return { lines: [rule, ...lines, rule], caret: { row: 1 + place.row - from, column: 2 + place.column } };
}

/** The part of a row that is selected stands out; an empty row shows one cell of it. */
function selected(row: Row, range: { readonly from: number; readonly to: number }): Line {
  const [from, to] = [range.from - row.from, range.to - row.from].map((at) =>
    Math.max(0, Math.min(row.text.length, at)),
  ) as [number, number];
  const touched = range.from <= row.to && range.to > row.from;
  const inside = row.text.slice(from, to) || (touched ? ' ' : '');
  return [span(row.text.slice(0, from)), span(inside, { back: 'match' }), span(row.text.slice(to))].filter(
    (piece) => piece.text !== '',
  );
}

/** Marks of pastes and pictures, `@mentions` and a leading command stand out. */
function tinted(text: string): Line {
  const parts = text.split(
    /(\[(?:Pasted text #\d+ \+\d+ lines|Image #\d+)\]|(?<=^|\s)@[^\s@]+|^\/[\w:-]+(?=\s|$))/,
  );
  return parts
    .filter((part) => part !== '')
    .map((part) =>
      /^(\[|@|\/)/.test(part) && part.length > 1 && parts.length > 1 && parts.indexOf(part) % 2 === 1
        ? as(part.startsWith('[') ? 'dim' : 'accent', part)
        : span(part),
    );
}

/** The menu under the prompt. */
export function menuLines(menu: Menu, columns: number, most: number): Line[] {
  const total = menu.entries.length;
  if (total === 0)
    return menu.kind === 'slash'
      ? [[as('faint', '  no such command')]]
      : [[as('faint', '  nothing by that name')]];
  const from = Math.max(0, Math.min(menu.index - Math.floor(most / 2), total - most));
  const rows =
    menu.kind === 'slash' ? slashRows(menu, from, most, columns) : mentionRows(menu, from, most, columns);
  return total > most ? [...rows, [as('faint', `  ${Math.max(0, menu.index) + 1} of ${total}`)]] : rows;
}

function slashRows(
  menu: Extract<Menu, { kind: 'slash' }>,
  from: number,
  most: number,
  columns: number,
): Line[] {
  const shown = menu.entries.slice(from, from + most);
  const names = shown.map((entry) => `/${entry.name}${hintOf(entry, menu.query)}`);
  const wide = Math.min(Math.floor(columns / 2), Math.max(...names.map(cells)) + 2);
  return shown.map((entry, index) => {
    const here = from + index === menu.index;
    const name = `/${entry.name}`;
    const hint = hintOf(entry, menu.query);
    const gap = ' '.repeat(Math.max(2, wide - cells(name) - cells(hint)));
    const source = entry.source && entry.source !== 'builtin' ? ` (${entry.source})` : '';
    return clipLine(
      [
        here ? as('select', '❯ ') : span('  '),
        as(here ? 'select' : 'plain', name, here ? { bold: true } : {}),
        as('faint', hint),
        span(gap),
        as('dim', entry.description.split('\n', 1)[0] ?? ''),
        as('faint', source),
      ],
      columns - 1,
    );
  });
}

/** What a command takes, and the alias that was typed. */
const hintOf = (entry: SlashEntry, query: string): string => {
  const alias = entry.name.includes(query) ? undefined : entry.aliases?.find((one) => one.startsWith(query));
  return `${alias ? ` (${alias})` : ''}${entry.argumentHint ? ` ${entry.argumentHint}` : ''}`;
};

function mentionRows(
  menu: Extract<Menu, { kind: 'mention' | 'argument' }>,
  from: number,
  most: number,
  columns: number,
): Line[] {
  return menu.entries.slice(from, from + most).map((entry, index) => {
    const here = from + index === menu.index;
    return clipLine(
      [
        here ? as('select', '❯ ') : span('  '),
        as(here ? 'select' : 'plain', entry.label, here ? { bold: true } : {}),
        ...(entry.detail ? [as('dim', `  ${entry.detail}`)] : []),
      ],
      columns - 1,
    );
  });
}
