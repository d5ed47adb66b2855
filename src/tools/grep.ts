import * as z from 'zod';
import type { FoundLine, GrepRequest } from '../contract/search.ts';
import type { Tool, ToolContext, ToolOutcome } from '../contract/tool.ts';
import { defineTool } from './define.ts';
import description from './grep.md';
import { shortPath } from './place.ts';
import { nothingThere, type SearchDeps, searchPlace } from './search-place.ts';

const DEFAULT_LIMIT = 200;
const MOST_CHARS = 30_000;

const input = z.object({
  pattern: z.string().min(1),
  path: z.string().optional().describe('File or folder; the working directory if left out'),
  glob: z.string().optional().describe('Only such files: *.{ts,tsx}, !*.min.js'),
  type: z.string().optional().describe('Only this type of file: js, py, rust'),
  output_mode: z.enum(['files_with_matches', 'content', 'count']).default('files_with_matches'),
  '-i': z.boolean().optional().describe('Ignore case'),
  '-n': z.boolean().default(true).describe('Line numbers'),
  '-A': z.number().int().min(0).optional().describe('Lines after a match'),
  '-B': z.number().int().min(0).optional().describe('Lines before'),
  '-C': z.number().int().min(0).optional().describe('Lines around'),
  head_limit: z.number().int().min(1).default(DEFAULT_LIMIT).describe('Most lines or files'),
  multiline: z.boolean().optional().describe('Let matches span lines'),
});
type Wish = z.output<typeof input>;

export const grepTool = (deps: SearchDeps): Tool =>
  defineTool({
    name: 'Grep',
    description,
    input,
    renamed: { regex: 'pattern', query: 'pattern', include: 'glob', context: '-C', case_insensitive: '-i' },
    call: (wish, state) => {
      const root = searchPlace('Grep', wish.path, state.cwd);
      if (typeof root !== 'string') return root;
      const where = [
        wish.path === undefined ? '' : shortPath(root, state.cwd),
        wish.glob ?? '',
        wish.type ?? '',
      ];
      return {
        input: { ...wish, path: root },
        subject: [wish.pattern, ...where.filter((part) => part !== '').map((part) => `in ${part}`)].join(' '),
        readOnly: true,
        parallel: true,
        run: (ctx) => look(deps, root, wish, ctx),
      };
    },
  });

const look = async (deps: SearchDeps, root: string, wish: Wish, ctx: ToolContext): Promise<ToolOutcome> => {
  const missing = nothingThere(root);
  if (missing !== undefined) return { status: 'error', text: missing };
  const request: GrepRequest = {
    pattern: wish.pattern,
    root,
    ...(wish.glob === undefined ? {} : { glob: wish.glob }),
    ...(wish.type === undefined ? {} : { type: wish.type }),
    ignoreCase: wish['-i'] ?? false,
    multiline: wish.multiline ?? false,
    before: wish['-B'] ?? wish['-C'] ?? 0,
    after: wish['-A'] ?? wish['-C'] ?? 0,
    signal: ctx.signal,
  };
  const outcome = await modes[wish.output_mode](deps, request, wish, ctx);
  return ctx.signal.aborted ? { status: 'cancelled', text: 'Interrupted.' } : outcome;
};

type Mode = (deps: SearchDeps, request: GrepRequest, wish: Wish, ctx: ToolContext) => Promise<ToolOutcome>;

const files: Mode = async (deps, request, wish, ctx) => {
  const result = await deps.search.filesWith(request);
  if ('problem' in result) return failed(result.problem);
  const all = result.found.filter((path) => !deps.forbidden?.(path, ctx.session));
  const shown = all.slice(0, wish.head_limit).map((path) => shortPath(path, ctx.session.cwd));
  const facts = { mode: wish.output_mode, numFiles: all.length, filenames: shown };
  return found(
    shown,
    facts,
    counted(all.length, 'file'),
    more(all.length, shown.length, result.cut, 'files'),
  );
};

const counts: Mode = async (deps, request, wish, ctx) => {
  const result = await deps.search.counts(request);
  if ('problem' in result) return failed(result.problem);
  const all = result.found.filter(({ path }) => !deps.forbidden?.(path, ctx.session));
  const matches = all.reduce((sum, { count }) => sum + count, 0);
  const shown = all
    .slice(0, wish.head_limit)
    .map(({ path, count }) => `${shortPath(path, ctx.session.cwd)}:${count}`);
  const facts = { mode: wish.output_mode, numFiles: all.length, filenames: [], numMatches: matches };
  const total = `${counted(matches, 'line')} in ${counted(all.length, 'file')}`;
  return found(
    [...shown, ...(all.length > 1 ? [`[${total}]`] : [])],
    facts,
    total,
    more(all.length, shown.length, result.cut, 'files'),
  );
};

const content: Mode = async (deps, request, wish, ctx) => {
  const result = await deps.search.lines(request, wish.head_limit);
  if ('problem' in result) return failed(result.problem);
  const all = result.found.filter(({ path }) => !deps.forbidden?.(path, ctx.session));
  const names = [...new Set(all.map(({ path }) => shortPath(path, ctx.session.cwd)))];
  const rows = capped(grouped(all, wish['-n'], ctx.session.cwd));
  const facts = {
    mode: wish.output_mode,
    numFiles: names.length,
    filenames: names,
    content: rows.join('\n'),
    numLines: all.length,
  };
  const summary = `${counted(all.filter(({ matches }) => matches).length, 'line')} in ${counted(names.length, 'file')}`;
  return found(
    rows,
    facts,
    summary,
    result.cut
      ? `[Only the first ${wish.head_limit} lines are shown. Narrow the search or raise head_limit.]`
      : undefined,
  );
};

const modes: Readonly<Record<Wish['output_mode'], Mode>> = {
  files_with_matches: files,
  content,
  count: counts,
};

/** Each file's name once, then its lines; `--` where lines are left out between two that are shown with context. */
const grouped = (lines: readonly FoundLine[], numbers: boolean, cwd: string): readonly string[] => {
  const hasContext = lines.some(({ matches }) => !matches);
  return lines.flatMap((one, index) => {
    const before = lines[index - 1];
    const row = numbers ? `${one.line}${one.matches ? ':' : '-'}${one.text}` : one.text;
    if (before?.path !== one.path) return [...(before ? [''] : []), shortPath(one.path, cwd), row];
    return hasContext && before.line + 1 < one.line ? ['--', row] : [row];
  });
};

const capped = (rows: readonly string[]): readonly string[] => {
  let chars = 0;
  const end = rows.findIndex((row) => {
    chars += row.length + 1;
    return chars > MOST_CHARS;
  });
  return end === -1
    ? rows
    : [...rows.slice(0, end), '[More was found than can be shown. Narrow the search.]'];
};

const found = (
  rows: readonly string[],
  response: unknown,
  summary: string,
  note: string | undefined,
): ToolOutcome => ({
  status: 'ok',
  text: rows.length === 0 ? 'Nothing matches.' : [...rows, ...(note === undefined ? [] : [note])].join('\n'),
  display: { kind: 'text', summary, body: rows.join('\n') },
  response,
});

const failed = (problem: string): ToolOutcome => ({ status: 'error', text: `The search failed: ${problem}` });

const more = (all: number, shown: number, cut: boolean, what: string): string | undefined =>
  cut || all > shown
    ? `[${shown} of ${cut ? 'more than ' : ''}${all} ${what} are shown. Narrow the search or raise head_limit.]`
    : undefined;

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
