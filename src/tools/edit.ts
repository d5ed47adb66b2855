import * as z from 'zod';
import type { SessionState } from '../contract/state.ts';
import type { Tool } from '../contract/tool.ts';
import { defineTool } from './define.ts';
import description from './edit.md';
import { unified } from './line-ends.ts';
import { namesLike } from './names-like.ts';
import { nearMiss } from './near-miss.ts';
import { lineAt, placesOf, type Replaced, replaceAt } from './replace-text.ts';
import { make, original, type Planned, preview } from './rewrite.ts';
import { contentOf, lastSeen, staleness, type Target, targetOf } from './target.ts';
import { decode, encode } from './text-file.ts';

interface Wish {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all: boolean;
}

export const editTool = (): Tool =>
  defineTool({
    name: 'Edit',
    description,
    input: z.object({
      file_path: z.string(),
      old_string: z.string(),
      new_string: z.string(),
      replace_all: z.boolean().default(false),
    }),
    renamed: { path: 'file_path', filePath: 'file_path', old_str: 'old_string', new_str: 'new_string' },
    call: ({ file_path, ...wish }, state) => {
      const target = targetOf('Edit', 'file_path', file_path, state.cwd);
      if ('invalid' in target) return target;
      if (wish.old_string === '')
        return {
          invalid: '"old_string" of Edit is empty. Give the text to replace; to make a new file use Write.',
        };
      if (wish.old_string === wish.new_string)
        return { invalid: '"old_string" and "new_string" of Edit are the same, so nothing would change.' };
      return {
        input: { file_path: target.path, ...wish },
        subject: target.path,
        real: target.real,
        readOnly: false,
        parallel: false,
        preview: async (ctx) => preview(target, await plan(target, wish, ctx.session)),
        run: async (ctx) => {
          const planned = await plan(target, wish, ctx.session);
          return make(target, planned, ctx, (change, structuredPatch) => ({
            text: report(target, 'replaced' in planned ? planned.replaced : undefined),
            response: {
              filePath: target.path,
              oldString: wish.old_string,
              newString: wish.new_string,
              originalFile: original(change),
              structuredPatch,
              userModified: false,
              replaceAll: wish.replace_all,
            },
          }));
        },
      };
    },
  });

const plan = async (
  target: Target,
  wish: Wish,
  state: SessionState,
): Promise<(Planned & { readonly replaced: Replaced }) | { readonly problem: string }> => {
  const there = await contentOf(target);
  if (there.kind === 'problem') return there;
  if (there.kind === 'folder')
    return { problem: `${target.path} is a folder. Give the path of a file in it.` };
  if (there.kind === 'none')
    return {
      problem: `${target.path} does not exist.${await namesLike(target.path)} To make a new file use Write.`,
    };
  const { disk } = there;
  const stale = staleness(target, disk, lastSeen(state, target));
  if (stale !== undefined) return { problem: stale };
  const old = decode(disk.bytes);
  if (!old)
    return {
      problem: `${target.path} is no text file in an encoding that can be written back unharmed, so it was left alone. Use a command for it.`,
    };
  const replaced = replace(target.path, old.text, wish);
  if ('problem' in replaced) return replaced;
  const bytes = encode({ ...old, text: replaced.text });
  if (!Buffer.isBuffer(bytes)) return bytes;
  return { before: disk, oldText: old.text, newText: replaced.text, bytes, replaced };
};

const replace = (path: string, stored: string, wish: Wish): Replaced | { readonly problem: string } => {
  const text = unified(stored);
  const wanted = unified(wish.old_string);
  const places = placesOf(text, wanted);
  if (places.length === 0)
    return { problem: `"old_string" was not found in ${path}. ${nearMiss(text, wanted)}` };
  if (places.length > 1 && !wish.replace_all) {
    const lines = places.map((place) => lineAt(text, place));
    return {
      problem: `"old_string" stands ${places.length} times in ${path}, at lines ${listed(lines)}. Add lines around it until it is unique, or set replace_all.`,
    };
  }
  return replaceAt(stored, places, wanted, unified(wish.new_string));
};

const report = ({ path }: Target, replaced: Replaced | undefined): string => {
  const lines = replaced?.lines ?? [];
  if (lines.length === 1) return `Edited ${path} at line ${lines[0]}`;
  return `Edited ${path} in ${lines.length} places, at lines ${listed(lines)}`;
};

const MOST_LISTED = 20;

const listed = (lines: readonly number[]): string =>
  lines.slice(0, MOST_LISTED).join(', ') + (lines.length > MOST_LISTED ? ' and more' : '');
