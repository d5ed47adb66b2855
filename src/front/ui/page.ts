import { chord, type Press } from './keys.ts';
import { as, type Line, plain, span } from './span.ts';
import { clip } from './width.ts';
import { clipLine } from './wrap.ts';

/** A text on its own page, in the terminal's other screen. */
export interface Page {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly scroll: number;
  readonly query: string;
  /** The query is being typed. */
  readonly typing: boolean;
  /** Where what is read can be spoken to: an agent. */
  readonly saying?: { readonly open: boolean; readonly text: string };
  /** Where results can be shown whole or short: which it is. */
  readonly whole?: boolean;
}

export type PageStep =
  | { readonly page: Page }
  | { readonly left: true }
  | { readonly dump: true }
  | { readonly edit: true }
  | { readonly toggle: true }
  | { readonly say: string; readonly page: Page };

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
  if (page.saying?.open) return sayKey(page, page.saying.text, one, name);
  if (page.saying && (name === 'i' || name === 'tab'))
    return { page: { ...page, saying: { open: true, text: '' } } };
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

function sayKey(page: Page, text: string, one: Press, name: string): PageStep {
  const now = (saying: Page['saying']): Page => ({ ...page, saying });
  if (name === 'escape' || name === 'ctrl+c') return { page: now({ open: false, text: '' }) };
  if (name === 'enter')
    return text.trim() === '' ? { page } : { say: text.trim(), page: now({ open: false, text: '' }) };
  if (name === 'backspace') return { page: now({ open: true, text: [...text].slice(0, -1).join('') }) };
  return one.name === 'text' ? { page: now({ open: true, text: text + one.text }) } : { page };
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
    as('accent', ` ${clip(page.title, columns - 16)}`, { bold: true }),
    as('faint', `  ${share === '100%' ? 'end' : share}`),
  ];
  const hits =
    page.query === ''
      ? 0
      : page.lines.filter((line) => plain(line).toLowerCase().includes(page.query.toLowerCase())).length;
  const foot: Line = page.saying?.open
    ? [as('accent', ' say: '), span(page.saying.text), as('faint', '▏  enter sends · esc leaves')]
    : page.typing || page.query !== ''
      ? [
          as('accent', ' /'),
          span(page.query),
          as('faint', page.typing ? `▏ ${hits} rows` : `  ${hits} rows · n next · N back · esc clears`),
        ]
      : [
          as(
            'faint',
            ` ${page.saying ? 'i say something · ' : ''}↑↓ pgup pgdn scroll · / search · ${page.whole === undefined ? '' : `{ } prompts · ctrl+e ${page.whole ? 'shorter' : 'show all'} · `}[ into the scrollback · v editor · q leave`,
          ),
        ];
  return [head, ...shown, ...fill, clipLine(foot, columns)];
}

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
