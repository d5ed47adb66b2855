import * as z from 'zod';
import type { SessionState } from '../contract/state.ts';
import type { Tool } from '../contract/tool.ts';
import { defineTool } from './define.ts';
import { lineEndsOf } from './line-ends.ts';
import { make, original, type Planned, preview } from './rewrite.ts';
import { contentOf, lastSeen, staleness, type Target, targetOf } from './target.ts';
import { decode, encode, NEW_FILE, type TextFile } from './text-file.ts';
import description from './write.md';

export const writeTool = (): Tool =>
  defineTool({
    name: 'Write',
    description,
    input: z.object({
      file_path: z.string().describe('Absolute, or relative to the working directory'),
      content: z.string(),
    }),
    renamed: { path: 'file_path', filePath: 'file_path', contents: 'content', text: 'content' },
    call: ({ file_path, content }, state) => {
      const target = targetOf('Write', 'file_path', file_path, state.cwd);
      if ('invalid' in target) return target;
      return {
        input: { file_path: target.path, content },
        subject: target.path,
        real: target.real,
        readOnly: false,
        parallel: false,
        preview: async (ctx) => preview(target, await plan(target, content, ctx.session)),
        run: async (ctx) =>
          make(target, await plan(target, content, ctx.session), ctx, (change, structuredPatch) => ({
            text: `${change.before ? 'Rewrote' : 'Created'} ${target.path}`,
            response: {
              type: change.before ? 'update' : 'create',
              filePath: target.path,
              content,
              structuredPatch,
              originalFile: original(change),
            },
          })),
      };
    },
  });

const plan = async (target: Target, content: string, state: SessionState): Promise<Planned> => {
  const there = await contentOf(target);
  switch (there.kind) {
    case 'problem':
      return there;
    case 'folder':
      return { problem: `${target.path} is a folder. Give the path of a file in it.` };
    case 'none':
      return { oldText: '', newText: content, bytes: Buffer.from(content) };
    case 'file': {
      const { disk } = there;
      const seen = lastSeen(state, target);
      const stale = staleness(target, disk, seen);
      if (stale !== undefined) return { problem: stale };
      if (!seen && disk.bytes.length > 0)
        return {
          problem: `${target.path} exists and was not read in this conversation. Read it first, so that nothing in it is lost unseen.`,
        };
      const old = decode(disk.bytes) ?? { ...NEW_FILE, text: '' };
      const next = stored(old, content);
      return { before: disk, oldText: old.text, newText: next.text, bytes: next.bytes };
    }
  }
};

/** As the old file was stored, or as UTF-8 where the old encoding lacks a character of the new text. */
const stored = (old: TextFile, content: string): { readonly text: string; readonly bytes: Buffer } => {
  const plain = content.replace(/^\ufeff/, '');
  const text =
    lineEndsOf(old.text) === 'crlf' && lineEndsOf(plain) === 'lf' ? plain.replaceAll('\n', '\r\n') : plain;
  const bytes = encode({ ...old, text });
  return { text, bytes: Buffer.isBuffer(bytes) ? bytes : Buffer.from(text) };
};
