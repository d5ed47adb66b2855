import { chord, type Press } from './keys.ts';
import { as, type Line, plain, span } from './span.ts';
import { cells, clip, clipStart } from './width.ts';
import { clipLine } from './wrap.ts';

/** A text on its own page, in the terminal's other screen. */
export interface Page {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly scroll: number;
  readonly query: string;
  /** The query is being typed. */
  readonly typing: boolean;
  /** Where what is read can be spoken to (an agent): what is typed to it so far. Letters are text there. */
  readonly saying?: string;
  /** Said beside the title: what became of a wish, what waits elsewhere. */
  readonly news?: { readonly text: string; readonly warns: boolean };
  /** Where results can be shown whole or short: which it is. */
  readonly whole?: boolean;
}

export type PageStep =
  | { readonly page: Page }
  | { readonly left: true }
  | { readonly dump: true }
  | { readonly edit: true }
  | { readonly toggle: true }
  | { readonly say: string; readonly page: Page }
  | { readonly stop: true };

export const pageOf = (title: string, lines: readonly Line[], rows: number, at: 'top' | 'end'): Page => ({
  title,
  lines,
  query: '',
  typing: false,
  scroll: at === 'top' ? 0 : Math.max(0, lines.length - (rows - 2)),
});

/** One key on a page, as in a pager. */
export function pageKey(page: Page, one: Press, rows: number): PageStep {
  const name = chord(one);
  const height = Math.max(1, rows - 2);
  const most = Math.max(0, page.lines.length - height);
  const to = (scroll: number): PageStep => ({
    page: { ...page, scroll: Math.max(0, Math.min(most, scroll)) },
  });
  const said = page.saying === undefined ? undefined : sayKey(page, page.saying, one, name);
  if (said) return said;
  if (page.typing) {
    if (name === 'enter') return found({ ...page, typing: false }, page.scroll, 1, most);
    if (name === 'escape' || name === 'ctrl+c') return { page: { ...page, typing: false, query: '' } };
    if (name === 'backspace') return { page: { ...page, query: [...page.query].slice(0, -1).join('') } };
    return one.name === 'text'
      ? found({ ...page, query: page.query + one.text }, page.scroll, 1, most)
      : { page };
  }
  switch (name) {
    case 'q':
    case 'ctrl+c':
    case 'ctrl+o':
      return { left: true };
    case 'escape':
      return page.query === '' ? { left: true } : { page: { ...page, query: '' } };
    case 'down':
    case 'j':
    case 'enter':
      return to(page.scroll + 1);
    case 'up':
    case 'k':
      return to(page.scroll - 1);
    case 'pagedown':
    case ' ':
    case 'ctrl+f':
      return to(page.scroll + height - 1);
    case 'pageup':
    case 'b':
    case 'ctrl+b':
      return to(page.scroll - height + 1);
    case 'ctrl+d':
    case 'd':
      return to(page.scroll + Math.floor(height / 2));
    case 'ctrl+u':
    case 'u':
      return to(page.scroll - Math.floor(height / 2));
    case 'home':
    case 'g':
      return to(0);
    case 'end':
    case 'G':
    case 'shift+g':
      return to(most);
    case '/':
      return { page: { ...page, typing: true, query: '' } };
    case 'n':
      return found(page, page.scroll + 1, 1, most);
    case 'N':
    case 'shift+n':
      return found(page, page.scroll - 1, -1, most);
    case '}':
      return to(prompts(page, 1) ?? most);
    case '{':
      return to(prompts(page, -1) ?? 0);
    case '[':
      return { dump: true };
    case 'v':
      return { edit: true };
    case 'ctrl+e':
      return page.whole === undefined ? { page } : { toggle: true };
    default:
      return { page };
  }
}

/** Undefined for keys that scroll. */
function sayKey(page: Page, text: string, one: Press, name: string): PageStep | undefined {
  const now = (saying: string): PageStep => ({ page: { ...page, saying } });
  if (one.name === 'text') return now(text + one.text);
  switch (name) {
    case 'escape':
    case 'ctrl+c':
      return text === '' ? { left: true } : now('');
    case 'enter':
      return text.trim() === '' ? { page } : { say: text.trim(), page: { ...page, saying: '' } };
    case 'backspace':
      return now([...text].slice(0, -1).join(''));
    case 'ctrl+u':
      return now('');
    case 'ctrl+w':
      return now(text.replace(/\S*\s*$/, ''));
    case 'ctrl+x':
      return { stop: true };
    case ' ':
      return now(`${text} `);
    default:
      return undefined;
  }
}

/** The page with newer rows; who stood at its end stays there. */
export function withLines(page: Page, lines: readonly Line[], rows: number): Page {
  const most = (count: number) => Math.max(0, count - (rows - 2));
  return {
    ...page,
    lines,
    scroll:
      page.scroll >= most(page.lines.length) ? most(lines.length) : Math.min(page.scroll, most(lines.length)),
  };
}

/** The same text in other rows: what stood at the top stands near it again. */
export const relaid = (page: Page, lines: readonly Line[], rows: number): Page => {
  const most = (count: number) => Math.max(0, count - (rows - 2));
  const atEnd = page.scroll > 0 && page.scroll >= most(page.lines.length);
  const near = Math.round((page.scroll * lines.length) / Math.max(1, page.lines.length));
  return { ...page, lines, scroll: atEnd ? most(lines.length) : Math.min(near, most(lines.length)) };
};

/** The next row that holds the query, upwards or downwards, round the end. */
function found(page: Page, from: number, step: 1 | -1, most: number): PageStep {
  const query = page.query.toLowerCase();
  if (query === '') return { page };
  const count = page.lines.length;
  for (let tried = 0; tried < count; tried++) {
    const at = (((from + tried * step) % count) + count) % count;
    if (
      plain(page.lines[at] ?? [])
        .toLowerCase()
        .includes(query)
    )
      return { page: { ...page, scroll: Math.min(most, at) } };
  }
  return { page };
}

/** Rows where a prompt begins. */
function prompts(page: Page, step: 1 | -1): number | undefined {
  const places = page.lines.flatMap((line, index) => (plain(line).startsWith('❯ ') ? [index] : []));
  return step === 1
    ? places.find((place) => place > page.scroll)
    : places.findLast((place) => place < page.scroll);
}

export function pageLines(page: Page, columns: number, rows: number): Line[] {
  const height = Math.max(1, rows - 2);
  const shown = page.lines
    .slice(page.scroll, page.scroll + height)
    .map((line) => clipLine(highlighted(line, page.query), columns));
  const fill = Array.from({ length: height - shown.length }, (): Line => [as('faint', '~')]);
  const share =
    page.lines.length <= height
      ? 'all'
      : `${Math.round((100 * (page.scroll + height)) / page.lines.length)}%`;
  const head: Line = [
    as(
      'accent',
      ` ${clip(page.title, columns - (page.news ? Math.min(columns - 30, page.news.text.length + 20) : 16))}`,
      { bold: true },
    ),
    as('faint', `  ${share === '100%' ? 'end' : share}`),
    ...(page.news
      ? [page.news.warns ? as('warn', `  ▲ ${page.news.text}`) : as('ok', `  ✓ ${page.news.text}`)]
      : []),
  ];
  const hits =
    page.query === ''
      ? 0
      : page.lines.filter((line) => plain(line).toLowerCase().includes(page.query.toLowerCase())).length;
  const foot: Line =
    page.saying !== undefined
      ? sayLine(page.saying, columns)
      : page.typing || page.query !== ''
        ? [
            as('accent', ' /'),
            span(page.query),
            as('faint', page.typing ? `▏ ${hits} rows` : `  ${hits} rows · n next · N back · esc clears`),
          ]
        : [as('faint', ` ${fittingHints(scrollHints(page), columns - 2)}`)];
  return [clipLine(head, columns), ...shown, ...fill, clipLine(foot, columns)];
}

/** What the keys of a page do; the way out stands last. */
const scrollHints = ({ whole }: Page): readonly string[] => [
  '↑↓ pgup pgdn scroll',
  '/ search',
  ...(whole === undefined ? [] : ['{ } prompts', `ctrl+e ${whole ? 'shorter' : 'show all'}`]),
  '[ into the scrollback',
  'v editor',
  'q leave',
];

/** As many hints as fit in `width` cells; those before the last one go first, the last one never. */
const fittingHints = (hints: readonly string[], width: number): string => {
  const line = hints.join(' · ');
  return hints.length < 2 || cells(line) <= width ? line : fittingHints(hints.toSpliced(-2, 1), width);
};

const sayLine = (text: string, columns: number): Line => [
  as('accent', ' ❯ '),
  span(clipStart(text, Math.max(10, columns - 40))),
  as(
    'faint',
    text === ''
      ? 'type to steer it · ↑↓ scroll · ctrl+x stops it · esc leaves'
      : '▏  enter sends · esc clears',
  ),
];

function highlighted(line: Line, query: string): Line {
  if (query === '') return line;
  const wanted = query.toLowerCase();
  return line.flatMap((piece) => {
    const parts: Line[number][] = [];
    let rest = piece.text;
    for (let at = rest.toLowerCase().indexOf(wanted); at >= 0; at = rest.toLowerCase().indexOf(wanted)) {
      parts.push(
        { ...piece, text: rest.slice(0, at) },
        { text: rest.slice(at, at + wanted.length), style: { ...piece.style, back: 'match' } },
      );
      rest = rest.slice(at + wanted.length);
    }
    return [...parts, { ...piece, text: rest }];
  });
}
