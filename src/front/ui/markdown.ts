import { lexer, type Token, type Tokens } from 'marked';
import type { Highlighter } from './highlight.ts';
import { inline } from './markdown-inline.ts';
import { cutTable, table } from './markdown-table.ts';
import { as, blank, type Line, span, under } from './span.ts';
import { hardWrap, splitLines, wrap } from './wrap.ts';

export interface MarkdownLook {
  readonly width: number;
  readonly links: boolean;
  readonly highlight?: Highlighter;
  /** Rows of tables take one line each, and what does not fit is cut. */
  readonly tables?: 'cut';
}

/** Markdown as rows of the screen. The text must have passed `safeText`. */
export function markdown(text: string, look: MarkdownLook): Line[] {
  return blocks(lexer(text), look);
}

/** Blocks with one empty row between them. */
function blocks(tokens: readonly Token[], look: MarkdownLook): Line[] {
  const out: Line[] = [];
  for (const token of tokens) {
    if (token.type === 'space' || token.type === 'def') continue;
    const rows = block(token, look);
    if (rows.length === 0) continue;
    if (out.length > 0) out.push(blank);
    out.push(...rows);
  }
  return out;
}

function block(token: Token, look: MarkdownLook): Line[] {
  switch (token.type) {
    case 'heading':
      return wrap(
        inline(
          token.tokens,
          { role: 'heading', bold: true, ...(token.depth === 1 ? { underline: true } : {}) },
          look.links,
        ),
        look.width,
      );
    case 'paragraph':
      return wrap(inline(token.tokens, {}, look.links), look.width);
    case 'text':
      return wrap(
        'tokens' in token && token.tokens ? inline(token.tokens, {}, look.links) : [span(token.text)],
        look.width,
      );
    case 'list':
      return list(token as Tokens.List, look);
    case 'table':
      return (look.tables === 'cut' ? cutTable : table)(token as Tokens.Table, look.width, look.links);
    case 'blockquote':
      return blocks(token.tokens ?? [], { ...look, width: look.width - 2 }).map((line) => [
        as('border', '▎ '),
        ...under(line, { role: 'quote', italic: true }),
      ]);
    case 'code':
      return codeRows(token.text, (token.lang ?? '').split(/\s/, 1)[0] ?? '', look);
    case 'hr':
      return [[as('border', '─'.repeat(Math.min(look.width, 32)))]];
    default:
      return splitLines([span('raw' in token ? token.raw.replace(/\n+$/, '') : '', { role: 'dim' })]).flatMap(
        (line) => wrap(line, look.width),
      );
  }
}

/** Code keeps its blanks and is broken only at the edge. */
export function codeRows(code: string, language: string, look: MarkdownLook): Line[] {
  const text = code.replace(/\t/g, '    ');
  const rows =
    look.highlight?.(text, language) ??
    text.split('\n').map((row): Line => (row === '' ? blank : [as('code', row)]));
  return rows
    .flatMap((row) => hardWrap(row, look.width - 2))
    .map((row) => (row.length > 0 ? [span('  '), ...row] : row));
}

function list(token: Tokens.List, look: MarkdownLook): Line[] {
  const start = typeof token.start === 'number' ? token.start : 1;
  const digits = String(start + token.items.length - 1).length;
  return token.items.flatMap((item, index) => {
    const mark = token.ordered
      ? `${String(start + index).padStart(digits)}. `
      : item.task
        ? item.checked
          ? '☑ '
          : '☐ '
        : '• ';
    const hang = ' '.repeat(mark.length);
    const rows = itemRows(item, { ...look, width: look.width - mark.length });
    const lines = rows.map(
      (row, at): Line =>
        at === 0
          ? [as(item.checked ? 'ok' : 'accent', mark), ...row]
          : row.length > 0
            ? [span(hang), ...row]
            : row,
    );
    return token.loose && index > 0 ? [blank, ...lines] : lines;
  });
}

/** Inside an item, text and nested lists stand close; other blocks get air. */
function itemRows(item: Tokens.ListItem, look: MarkdownLook): Line[] {
  const out: Line[] = [];
  for (const token of item.tokens) {
    if (token.type === 'space' || token.type === 'checkbox') continue;
    const rows = block(token, look);
    if (
      out.length > 0 &&
      (token.type === 'code' || token.type === 'table' || (item.loose && token.type !== 'list'))
    )
      out.push(blank);
    out.push(...rows);
  }
  return out.length > 0 ? out : [blank];
}
