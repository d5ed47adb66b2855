import { stat } from 'node:fs/promises';
import * as z from 'zod';
import type { MediaReader } from '../contract/media.ts';
import type { SeenFile } from '../contract/state.ts';
import type { Tool, ToolContext, ToolOutcome } from '../contract/tool.ts';
import { readPart } from './big-file.ts';
import { defineTool } from './define.ts';
import { seenAs } from './disk-file.ts';
import { namesLike } from './names-like.ts';
import { type Excerpt, numbered } from './numbered.ts';
import description from './read.md';
import { contentOf, failure, isMissing, movedAway, type Target, targetOf } from './target.ts';
import { decode, encodingName } from './text-file.ts';

const LINES = 2_000;
/** About 25,000 tokens. */
const MOST_CHARS = 100_000;
/** What is larger is read in pieces. */
const HELD_BYTES = 16 * 1024 * 1024;
const HEAD_BYTES = 64;
/** Room for characters of several bytes. */
const BYTES_PER_CHAR = 4;

export interface ReadOptions {
  /** Reads what is no text; without it such files are refused as binary. */
  readonly media?: MediaReader;
  readonly maxChars?: number;
  /** Whether a model can be shown PDF pages as they are; else their text is all there is. */
  documents?(model: string): boolean;
}

interface Wish {
  readonly offset: number;
  readonly limit: number;
  readonly pages?: string;
}

export const readTool = (options: ReadOptions = {}): Tool =>
  defineTool({
    name: 'Read',
    description,
    input: z.object({
      file_path: z.string(),
      offset: z.number().int().min(0).optional().describe('First line, from 1'),
      limit: z.number().int().min(1).optional().describe('Number of lines'),
      pages: z.string().optional().describe('Pages of a PDF, such as 1-5'),
    }),
    renamed: { path: 'file_path', filePath: 'file_path', notebook_path: 'file_path' },
    call: ({ file_path, ...given }, state) => {
      const target = targetOf('Read', 'file_path', file_path, state.cwd);
      if ('invalid' in target) return target;
      const wish = { ...given, offset: Math.max(1, given.offset ?? 1), limit: given.limit ?? LINES };
      return {
        input: { file_path: target.path, ...given },
        subject: target.path,
        real: target.real,
        readOnly: true,
        parallel: true,
        run: (ctx) => read(target, wish, options, ctx),
      };
    },
  });

const read = async (
  target: Target,
  wish: Wish,
  options: ReadOptions,
  ctx: ToolContext,
): Promise<ToolOutcome> => {
  const maxChars = options.maxChars ?? MOST_CHARS;
  const size = await stat(target.real).then(
    (file) => (file.isFile() ? file.size : 0),
    () => 0,
  );
  const isMedia = options.media?.accepts(target.path, Buffer.alloc(0)) === true;
  if (size > HELD_BYTES && !isMedia) return readBig(target, wish, maxChars, ctx.signal);
  const there = await contentOf(target);
  switch (there.kind) {
    case 'problem':
      return { status: 'error', text: there.problem };
    case 'folder':
      return {
        status: 'error',
        text: `${target.path} is a folder. To see what is in it use Glob with the pattern * and this path, or ls.`,
      };
    case 'none':
      return { status: 'error', text: `${target.path} does not exist.${await namesLike(target.path)}` };
    case 'file': {
      const { bytes } = there.disk;
      const seen = seenAs(there.disk);
      if (options.media?.accepts(target.path, bytes.subarray(0, HEAD_BYTES))) {
        const pages = wish.pages === undefined ? {} : { pages: wish.pages };
        const documents = options.documents?.(ctx.session.model) ?? false;
        const { signal } = ctx;
        const outcome = await options.media.read({ path: target.path, bytes, ...pages, documents, signal });
        return outcome.status === 'ok'
          ? { ...outcome, effects: [...effects(target, seen), ...(outcome.effects ?? [])] }
          : outcome;
      }
      const text = decode(bytes);
      if (!text) return { status: 'error', text: binary(target.path, bytes.length) };
      const lines = text.text === '' ? [] : text.text.replace(/\n$/, '').split('\n');
      const name = encodingName(text);
      const part = lines.slice(wish.offset - 1, wish.offset - 1 + wish.limit);
      return report(target, wish, maxChars, {
        lines: part,
        totalLines: lines.length,
        seen,
        ...(name ? { note: `Stored as ${name}.` } : {}),
      });
    }
  }
};

const readBig = async (
  target: Target,
  wish: Wish,
  maxChars: number,
  signal: AbortSignal,
): Promise<ToolOutcome> => {
  const moved = movedAway(target);
  if (moved !== undefined) return { status: 'error', text: moved };
  try {
    const part = await readPart(target.real, wish.offset, wish.limit, maxChars * BYTES_PER_CHAR, signal);
    if (part.binary) return { status: 'error', text: binary(target.path, part.seen.size) };
    return report(target, wish, maxChars, part);
  } catch (error) {
    if (signal.aborted) return { status: 'cancelled', text: 'Interrupted.' };
    return {
      status: 'error',
      text: isMissing(error) ? `${target.path} does not exist any more.` : failure(target.path, error),
    };
  }
};

interface Part {
  readonly lines: readonly string[];
  readonly totalLines: number;
  readonly seen: SeenFile;
  readonly note?: string;
}

const report = (target: Target, wish: Wish, maxChars: number, part: Part): ToolOutcome => {
  if (part.totalLines > 0 && wish.offset > part.totalLines)
    return {
      status: 'error',
      text: `${target.path} has ${part.totalLines} lines; "offset" ${wish.offset} is behind its end.`,
    };
  const excerpt = numbered(part.lines, wish.offset, maxChars);
  const notes = [
    part.note,
    part.totalLines === 0 ? 'The file is empty.' : undefined,
    unread(wish, excerpt, part.totalLines),
  ];
  const text = [excerpt.text, ...notes.filter((note) => note !== undefined).map((note) => `[${note}]`)];
  const content = part.lines.slice(0, excerpt.count).join('\n');
  const file = {
    filePath: target.path,
    content,
    numLines: excerpt.count,
    startLine: wish.offset,
    totalLines: part.totalLines,
  };
  return {
    status: 'ok',
    text: text.filter((line) => line !== '').join('\n'),
    display: {
      kind: 'code',
      path: target.path,
      summary: summary(excerpt.count, part.totalLines),
      body: content,
    },
    response: { type: 'text', file },
    effects: effects(target, part.seen),
  };
};

const unread = (wish: Wish, excerpt: Excerpt, total: number): string | undefined => {
  const next = wish.offset + excerpt.count;
  return next > total ? undefined : `Lines ${next} to ${total} are not shown. Go on with offset ${next}.`;
};

const summary = (shown: number, total: number): string =>
  shown === total ? `${total} ${total === 1 ? 'line' : 'lines'}` : `${shown} of ${total} lines`;

const effects = (target: Target, file: SeenFile) => [{ type: 'seen' as const, path: target.real, file }];

const binary = (path: string, size: number): string =>
  `${path} is a binary file of ${size} bytes, not text, so it is not shown. Use a command such as file, strings or xxd to look into it.`;
