import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { SessionState } from '../contract/state.ts';
import type { Tool } from '../contract/tool.ts';
import { indentOf, jsonSource } from '../lib/json-source.ts';
import { cellName, languageOf, type Notebook, parseNotebook } from '../lib/notebook.ts';
import { defineTool } from './define.ts';
import { namesLike } from './names-like.ts';
import description from './notebook-edit.md';
import { make, original, type Planned, preview } from './rewrite.ts';
import { contentOf, lastSeen, staleness, type Target, targetOf } from './target.ts';
import { decode, encode } from './text-file.ts';

interface Wish {
  readonly cell_id?: string;
  readonly new_source: string;
  readonly cell_type?: 'code' | 'markdown' | 'raw';
  readonly edit_mode: 'replace' | 'insert' | 'delete';
}

export const notebookEditTool = (): Tool =>
  defineTool({
    name: 'NotebookEdit',
    description,
    input: z.object({
      notebook_path: z.string(),
      cell_id: z.string().optional().describe('As Read shows it'),
      new_source: z.string().default(''),
      cell_type: z.enum(['code', 'markdown', 'raw']).optional().describe('Needed to insert'),
      edit_mode: z.enum(['replace', 'insert', 'delete']).default('replace'),
    }),
    renamed: { path: 'notebook_path', file_path: 'notebook_path', source: 'new_source' },
    call: ({ notebook_path, ...wish }, state) => {
      const target = targetOf('NotebookEdit', 'notebook_path', notebook_path, state.cwd);
      if ('invalid' in target) return target;
      if (!target.path.endsWith('.ipynb'))
        return { invalid: `${target.path} is no notebook (.ipynb). Use Edit for other files.` };
      if (wish.edit_mode === 'insert' && !wish.cell_type)
        return { invalid: 'NotebookEdit needs "cell_type" (code, markdown or raw) to insert a cell.' };
      if (wish.edit_mode !== 'insert' && !wish.cell_id)
        return { invalid: `NotebookEdit needs "cell_id" to ${wish.edit_mode} a cell. Read shows the ids.` };
      return {
        input: { notebook_path: target.path, ...wish },
        subject: target.path,
        real: target.real,
        readOnly: false,
        parallel: false,
        preview: async (ctx) => preview(target, await plan(target, wish, ctx.session)),
        run: async (ctx) => {
          const planned = await plan(target, wish, ctx.session);
          return make(target, planned, ctx, (change) => ({
            text: 'done' in planned ? planned.done : '',
            response: {
              new_source: wish.new_source,
              cell_id: 'cell' in planned ? planned.cell : wish.cell_id,
              cell_type: 'type' in planned ? planned.type : wish.cell_type,
              language: 'language' in planned ? planned.language : undefined,
              edit_mode: wish.edit_mode,
              notebook_path: target.path,
              original_file: original(change),
              updated_file: change.newText.length <= MOST_KEPT_CHARS ? change.newText : null,
            },
          }));
        },
      };
    },
  });

const MOST_KEPT_CHARS = 100_000;

type NotebookChange = Planned & {
  readonly cell: string;
  readonly type: string;
  readonly language: string;
  readonly done: string;
};

const plan = async (
  target: Target,
  wish: Wish,
  state: SessionState,
): Promise<NotebookChange | { readonly problem: string }> => {
  const there = await contentOf(target);
  if (there.kind === 'problem') return there;
  if (there.kind === 'folder') return { problem: `${target.path} is a folder, not a notebook.` };
  if (there.kind === 'none')
    return { problem: `${target.path} does not exist.${await namesLike(target.path)}` };
  const seen = lastSeen(state, target);
  if (!seen)
    return {
      problem: `${target.path} was not read in this conversation. Read it first; it shows the cells.`,
    };
  const stale = staleness(target, there.disk, seen);
  if (stale !== undefined) return { problem: stale };
  const old = decode(there.disk.bytes);
  const notebook = old ? parseNotebook(old.text) : { problem: 'is no text.' };
  if (!old || 'problem' in notebook)
    return { problem: `${target.path} ${'problem' in notebook ? notebook.problem : 'is no text.'}` };
  const changed = change(target.path, old.text, notebook, wish);
  if ('problem' in changed) return changed;
  const bytes = encode({ ...old, text: changed.text });
  if (!Buffer.isBuffer(bytes)) return bytes;
  return {
    before: there.disk,
    oldText: old.text,
    newText: changed.text,
    bytes,
    cell: changed.cell,
    type: changed.type,
    language: languageOf(notebook),
    done: changed.done,
  };
};

interface Changed {
  readonly text: string;
  readonly cell: string;
  readonly type: string;
  readonly done: string;
}

/** Records keep the order of their keys. */
const Tree = z.record(z.string(), z.unknown());
const Cells = z.array(z.record(z.string(), z.unknown()));

const change = (
  path: string,
  text: string,
  notebook: Notebook,
  wish: Wish,
): Changed | { readonly problem: string } => {
  const names = notebook.cells.map(cellName);
  const at = wish.cell_id === undefined ? -1 : names.indexOf(wish.cell_id);
  if (wish.cell_id !== undefined && at < 0) {
    const known = names.length > 0 ? `Its cells are ${names.slice(0, 30).join(', ')}.` : 'It has no cells.';
    return { problem: `${path} has no cell "${wish.cell_id}". ${known}` };
  }
  const tree = Tree.parse(jsonSource(text));
  const cells = Cells.parse(tree.cells);
  const old = notebook.cells[at];
  const written = (cell: string, type: string, done: string): Changed => ({
    text: stringified({ ...tree, cells }, text),
    cell,
    type,
    done: `${done} ${path}`,
  });
  if (wish.edit_mode === 'delete') {
    cells.splice(at, 1);
    return written(wish.cell_id ?? '', old?.cell_type ?? '', `Deleted cell ${wish.cell_id} of`);
  }
  const type = wish.cell_type ?? old?.cell_type ?? 'code';
  if (wish.edit_mode === 'insert') {
    const id = hasIds(notebook) ? randomUUID().slice(0, 8) : undefined;
    const place = at + 1;
    cells.splice(place, 0, cellOf(type, wish.new_source, id));
    const name = id ?? `cell-${place}`;
    return written(name, type, `Inserted ${type} cell ${name} in`);
  }
  const kept: Readonly<Record<string, unknown>> = cells[at] ?? {};
  const { outputs: _outputs, execution_count: _count, ...rest } = kept;
  cells[at] =
    type === 'code'
      ? { ...kept, cell_type: type, source: linesOf(wish.new_source), execution_count: null, outputs: [] }
      : { ...rest, cell_type: type, source: linesOf(wish.new_source) };
  return written(wish.cell_id ?? '', type, `Replaced cell ${wish.cell_id} of`);
};

/** Ids of cells came with format 4.5. */
const hasIds = ({ nbformat, nbformat_minor }: Notebook): boolean =>
  nbformat > 4 || (nbformat === 4 && nbformat_minor >= 5);

const cellOf = (type: string, source: string, id: string | undefined): Record<string, unknown> => ({
  cell_type: type,
  ...(type === 'code' ? { execution_count: null } : {}),
  ...(id === undefined ? {} : { id }),
  metadata: {},
  ...(type === 'code' ? { outputs: [] } : {}),
  source: linesOf(source),
});

/** The source as notebooks keep it: a list of lines with their ends. */
const linesOf = (source: string): readonly string[] => source.match(/[^\n]*\n|[^\n]+/g) ?? [];

const stringified = (tree: unknown, like: string): string =>
  `${JSON.stringify(tree, null, indentOf(like))}${like.endsWith('\n') ? '\n' : ''}`;
