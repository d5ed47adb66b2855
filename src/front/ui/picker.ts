import type { PickItem } from '../../contract/command.ts';
import { safeLine, safeText } from '../../lib/safe-text.ts';
import type { Drawn } from './ask-lines.ts';
import { ranked } from './fuzzy.ts';
import { divider } from './item-lines.ts';
import { chord, type Press } from './keys.ts';
import { markdown } from './markdown.ts';
import { as, blank, type Line, span } from './span.ts';
import type { Look } from './tool-lines.ts';
import { cells, clip } from './width.ts';
import { clipLine, lineCells, pad, wrapUnder } from './wrap.ts';

/** A list to choose from: `/resume`, `/model`, `/theme` and the like. Values stay with the asker. */
export interface Picker {
  readonly title: string;
  readonly items: readonly Pick<PickItem<unknown>, 'label' | 'hint'>[];
  readonly query: string;
  readonly index: number;
  /** Preview of the item under the cursor, once it is there. */
  readonly preview?: string;
  readonly keys: readonly { readonly key: string; readonly label: string }[];
  /** A list to search in: every letter and digit narrows it. */
  readonly searched: boolean;
  /** Said below the list. */
  readonly note?: string;
}

export type PickStep =
  | { readonly picker: Picker }
  | { readonly chosen: number }
  | { readonly key: string; readonly at?: number }
  | { readonly left: true };

/** Places (in `items`) that fit what was typed. */
const matches = (picker: Picker): readonly number[] =>
  picker.query === ''
    ? picker.items.map((_, index) => index)
    : ranked(
        picker.query,
        picker.items.map((item, index) => ({ item, index })),
        ({ item }) => [item.label, ...(item.hint ? [item.hint] : [])],
      ).map(({ index }) => index);

/** What a key does. The preview goes with the item that it shows. */
export function pickKey(picker: Picker, one: Press): PickStep {
  const done = step(picker, one);
  if (!('picker' in done)) return done;
  const at = (now: Picker) => matches(now)[now.index];
  return at(done.picker) === at(picker) ? done : { picker: { ...done.picker, preview: undefined } };
}

const step = (picker: Picker, one: Press): PickStep => {
  const name = chord(one);
  const found = matches(picker);
  const at = found[picker.index];
  const moved = (step: number): PickStep => ({
    picker: {
      ...picker,
      index: found.length === 0 ? 0 : (picker.index + step + found.length) % found.length,
    },
  });
  const jumped = (step: number): PickStep => ({
    picker: {
      ...picker,
      index: Math.max(0, Math.min(found.length - 1, picker.index + step)),
    },
  });
  // In a short list digits choose and j and k move, as long as nothing was typed.
  const quick = !picker.searched && picker.query === '' && picker.items.length <= 9;
  const extra = picker.keys.find(
    ({ key }) => key === name || (key === 'space' && one.text === ' ' && picker.query === ''),
  );
  if (extra) return at === undefined ? { key: extra.key } : { key: extra.key, at };
  if (name === 'escape' && picker.query !== '') return { picker: { ...picker, query: '', index: 0 } };
  if (name === 'escape' || name === 'ctrl+c') return { left: true };
  if (name === 'enter' || name === 'tab') return at === undefined ? { picker } : { chosen: at };
  if (name === 'up' || name === 'ctrl+p' || (quick && name === 'k')) return moved(-1);
  if (name === 'down' || name === 'ctrl+n' || (quick && name === 'j')) return moved(1);
  if (name === 'pageup') return jumped(-8);
  if (name === 'pagedown') return jumped(8);
  if (name === 'home') return jumped(-found.length);
  if (name === 'end') return jumped(found.length);
  if (name === 'backspace')
    return {
      picker: { ...picker, query: [...picker.query].slice(0, -1).join(''), index: 0 },
    };
  if (name === 'ctrl+u') return { picker: { ...picker, query: '', index: 0 } };
  if (/^[1-9]$/.test(name) && quick) {
    const direct = found[Number(name) - 1];
    return direct === undefined ? { picker } : { chosen: direct };
  }
  if (one.name === 'text') return { picker: { ...picker, query: picker.query + one.text, index: 0 } };
  return { picker };
};

export function pickLines(picker: Picker, look: Look, rows: number): Drawn {
  const found = matches(picker);
  const wide = look.width >= 90 && picker.preview !== undefined;
  const room = Math.max(3, Math.min(rows - 7 - (picker.preview !== undefined && !wide ? 7 : 0), 14));
  const from = Math.max(0, Math.min(picker.index - Math.floor(room / 2), found.length - room));
  const listWidth = wide ? Math.floor(look.width * 0.55) : look.width - 1;
  const column = columnOf(picker);
  const list = found
    .slice(from, from + room)
    .map((place, row) => itemRow(picker, place, from + row === picker.index, listWidth, column));
  const preview =
    picker.preview === undefined
      ? []
      : markdown(safeText(picker.preview), {
          ...look,
          width: wide ? look.width - listWidth - 5 : look.width - 6,
        }).slice(0, wide ? room : 6);
  const body = wide
    ? beside(list, preview, listWidth, room)
    : [
        ...list,
        ...(preview.length > 0 ? [blank, ...preview.map((row): Line => [as('border', '  ▎ '), ...row])] : []),
      ];
  // A handful needs no search field; who types all the same sees what was typed.
  const filters = picker.searched || picker.query !== '' || picker.items.length >= MANY;
  const filter: Line = [
    span('  '),
    as('faint', '⌕ '),
    picker.query === '' ? as('faint', 'type to narrow') : span(picker.query),
  ];
  const count =
    found.length > room
      ? [[as('faint', `  ${picker.index + 1} of ${found.length}`)]]
      : found.length === 0
        ? [[as('faint', '  nothing like that')]]
        : [];
  const keys = picker.keys.map((key) => `${key.key} ${key.label}`).join(' · ');
  return {
    lines: [
      divider(safeLine(picker.title), look.width, { role: 'accent', bold: true }),
      ...(filters ? [filter] : []),
      blank,
      ...body,
      ...count,
      blank,
      ...(picker.note
        ? [
            ...wrapUnder([as('dim', safeLine(picker.note, 300))], look.width - 1, [span('  ')], [span('  ')]),
            blank,
          ]
        : []),
      ...wrapUnder(
        [as('faint', `↑↓ move · enter choose · esc leave${keys ? ` · ${keys}` : ''}`)],
        look.width - 1,
        [span('  ')],
        [span('  ')],
      ),
    ],
    ...(filters ? { caret: { row: 1, column: 4 + cells(picker.query) } } : {}),
  };
}

/** Names with sentences beside them: the sentences begin below each other. Short hints stand at the right. */
function columnOf({ items }: Picker): number | undefined {
  const widest = (texts: readonly string[]): number =>
    texts.reduce((most, text) => Math.max(most, cells(safeLine(text))), 0);
  const labels = widest(items.map(({ label }) => label));
  return labels <= MOST_NAME && widest(items.map(({ hint }) => hint ?? '')) > MOST_NAME ? labels : undefined;
}

const MOST_NAME = 28;
/** From so many on a list offers to be narrowed. */
const MANY = 6;

function itemRow(
  picker: Picker,
  place: number,
  here: boolean,
  width: number,
  column: number | undefined,
): Line {
  const item = picker.items[place];
  const whole = safeLine(item?.label ?? '');
  if (column !== undefined)
    return clipLine(
      [
        here ? as('select', '❯ ') : span('  '),
        span(whole, here ? { role: 'select', bold: true } : {}),
        span(' '.repeat(column - cells(whole) + 2)),
        as('dim', clip(safeLine(item?.hint ?? '', 200), Math.max(0, width - column - 5))),
      ],
      width,
    );
  const label = clip(
    whole,
    Math.max(8, Math.floor((width - 4) * 0.65), width - 4 - cells(item?.hint ?? '') - 2),
  );
  const hint = clip(safeLine(item?.hint ?? '', 80), Math.max(0, width - cells(label) - 5));
  const left: Line = [
    here ? as('select', '❯ ') : span('  '),
    span(label, here ? { role: 'select', bold: true } : {}),
  ];
  return clipLine(
    [
      ...left,
      span(' '.repeat(Math.max(2, Math.min(width, 100) - lineCells(left) - cells(hint) - 1))),
      as('dim', hint),
    ],
    width,
  );
}

const beside = (list: readonly Line[], preview: readonly Line[], width: number, room: number): Line[] =>
  Array.from({ length: Math.min(room, Math.max(list.length, preview.length)) }, (_, row) => [
    ...pad(list[row] ?? blank, width),
    as('border', ' ▎ '),
    ...(preview[row] ?? blank),
  ]);
