import type { Mode } from '../../contract/mode.ts';
import type { Drawn } from './ask-lines.ts';
import { layout, placeOf } from './editor/layout.ts';
import type { Menu, Prompt } from './prompt.ts';
import { as, type Line, type Role, span } from './span.ts';
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
): Drawn {
  const rule: Line = [as(prompt.shell ? 'shell' : modeRole(mode), '─'.repeat(Math.max(1, columns - 1)))];
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
  const lines = shown.map(
    (row, index): Line => [...(from + index === 0 ? sign : [span('  ')]), ...tinted(row.text)],
  );
  if (text === '' && hint !== '') lines[0] = [...sign, as('faint', clip(hint, columns - 4))];
  return { lines: [rule, ...lines, rule], caret: { row: 1 + place.row - from, column: 2 + place.column } };
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
      : [[as('faint', menu.loading ? '  looking…' : '  nothing by that name')]];
  const from = Math.max(0, Math.min(menu.index - Math.floor(most / 2), total - most));
  const rows =
    menu.kind === 'slash' ? slashRows(menu, from, most, columns) : mentionRows(menu, from, most, columns);
  return total > most ? [...rows, [as('faint', `  ${menu.index + 1} of ${total}`)]] : rows;
}

function slashRows(
  menu: Extract<Menu, { kind: 'slash' }>,
  from: number,
  most: number,
  columns: number,
): Line[] {
  const shown = menu.entries.slice(from, from + most);
  const names = shown.map((entry) => `/${entry.name}${entry.argumentHint ? ` ${entry.argumentHint}` : ''}`);
  const wide = Math.min(Math.floor(columns / 2), Math.max(...names.map(cells)) + 2);
  return shown.map((entry, index) => {
    const here = from + index === menu.index;
    const name = `/${entry.name}`;
    const hint = entry.argumentHint ? ` ${entry.argumentHint}` : '';
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

function mentionRows(
  menu: Extract<Menu, { kind: 'mention' }>,
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
