import type { ImageBlock } from '../../contract/message.ts';
import type { Completion, SlashEntry } from '../../contract/screen.ts';
import type { Pictures } from '../../contract/store.ts';
import { type Buffer, emptyBuffer, insert, replaceAll } from './editor/buffer.ts';
import { folded, type Pastes, unfolded } from './editor/paste.ts';
import type { Vim } from './vim/vim-state.ts';

/** What completes the word at the caret. */
export type Menu =
  | {
      readonly kind: 'slash';
      readonly query: string;
      readonly entries: readonly SlashEntry[];
      readonly index: number;
    }
  | {
      /** What stands after `@`, or the first argument of a command. */
      readonly kind: 'mention' | 'argument';
      readonly query: string;
      readonly from: number;
      readonly entries: readonly Completion[];
      /** -1: none is chosen yet. */
      readonly index: number;
    };

/** The prompt box: text, what was folded in it, and what helps to write it. */
export interface Prompt {
  readonly buffer: Buffer;
  readonly pastes: Pastes;
  /** Those of earlier messages stay: a text that comes back brings its marks along. */
  readonly images: Pictures;
  /** `!` was typed first: the line goes to the shell. */
  readonly shell: boolean;
  /** Column that Up and Down return to. */
  readonly goal?: number;
  /** Place in history, and what was being written. */
  readonly browsing?: { readonly index: number; readonly draft: string };
  readonly search?: { readonly query: string; readonly skip: number; readonly draft: string };
  readonly menu?: Menu;
  /** What the command typed takes, said behind it. */
  readonly ghost?: string;
  /** Esc closed the menu for this text. */
  readonly dismissed?: string;
  /** For a person who types as in vim. */
  readonly vim?: Vim;
}

export const emptyPrompt: Prompt = { buffer: emptyBuffer, pastes: {}, images: {}, shell: false };

export const withBuffer = (prompt: Prompt, buffer: Buffer): Prompt => ({
  ...prompt,
  buffer,
  goal: undefined,
});

/** Letters beyond which a text that comes back is folded again. */
const MOST_OPEN = 20_000;

/** Replaces the text; history browsing and search end. */
export function filled(prompt: Prompt, text: string): Prompt {
  const fold =
    text.length > MOST_OPEN ? folded(text, prompt.pastes) : { insert: text, pastes: prompt.pastes };
  return {
    ...prompt,
    buffer: replaceAll(prompt.buffer, fold.insert),
    pastes: fold.pastes,
    goal: undefined,
    browsing: undefined,
    search: undefined,
    menu: undefined,
    ghost: undefined,
  };
}

/** Pictures of earlier messages that are kept. */
const MOST_IMAGES = 20;

/** After sending: empty, but what was killed can still be yanked. */
export const sent = (prompt: Prompt): Prompt => ({
  ...emptyPrompt,
  buffer: { ...emptyBuffer, kills: prompt.buffer.kills },
  images: Object.fromEntries(Object.entries(prompt.images).slice(-MOST_IMAGES)),
  ...(prompt.vim ? { vim: { ...prompt.vim, mode: 'insert', keys: '', recording: undefined } } : {}),
});

export function pasted(prompt: Prompt, text: string): Prompt {
  const fold = folded(text, prompt.pastes);
  return {
    ...withBuffer(prompt, insert({ ...prompt.buffer, last: 'other' }, fold.insert)),
    pastes: fold.pastes,
    browsing: undefined,
  };
}

/** A mark at the caret for a picture that is being read. */
export const reserved = (prompt: Prompt, number: number): Prompt =>
  withBuffer(prompt, insert({ ...prompt.buffer, last: 'other' }, `[Image #${number}] `));

/** Words again in the place of a mark, where there was no picture. */
export function unreserved(prompt: Prompt, number: number, words: string): Prompt {
  const { text, caret } = prompt.buffer;
  const found = new RegExp(`\\[Image #${number}\\] ?`).exec(text);
  if (!found) return prompt;
  const [mark] = found;
  const from = found.index;
  const end = from + mark.length;
  return withBuffer(prompt, {
    ...prompt.buffer,
    text: text.slice(0, from) + words + text.slice(end),
    caret: caret >= end ? caret + words.length - mark.length : Math.min(caret, from),
  });
}

/** The text to send, and the pictures whose marks are still in it. */
export function typedOf(prompt: Prompt): { readonly text: string; readonly images: readonly ImageBlock[] } {
  const text = unfolded(prompt.buffer.text, prompt.pastes);
  return { text, images: Object.values(picturesIn(text, prompt.images)) };
}

/** The pictures whose marks are in a text, by their numbers. */
export const picturesIn = (text: string, images: Pictures): Pictures =>
  Object.fromEntries(
    [...text.matchAll(/\[Image #(\d+)\]/g)].flatMap(([, number = '']) => {
      const image = images[Number(number)];
      return image ? [[number, image]] : [];
    }),
  );

/** Messages that were queued, above what is being written; their pictures come back with their marks. */
export function takenBack(
  prompt: Prompt,
  messages: readonly { readonly text: string; readonly images: readonly ImageBlock[] }[],
): Prompt {
  const images: Record<number, ImageBlock> = { ...prompt.images };
  const texts = messages.map((message) => {
    const left = [...message.images];
    return message.text.replace(/\[Image #\d+\]/g, (mark) => {
      const image = left.shift();
      if (!image) return mark;
      const number = nextImage(images);
      images[number] = image;
      return `[Image #${number}]`;
    });
  });
  const written = prompt.buffer.text.trim() ? [prompt.buffer.text] : [];
  const next = filled(prompt, [...texts, ...written].join('\n\n'));
  return { ...next, images, dismissed: next.buffer.text };
}

/** The number of a further picture. */
export const nextImage = (images: Pictures): number => Math.max(0, ...Object.keys(images).map(Number)) + 1;

/** The word after `@` that the caret stands in, when there is one. */
export function mentionAt(
  text: string,
  caret: number,
): { readonly from: number; readonly query: string } | undefined {
  const found = /(^|[\s([{"'])@([^\s@]*)$/.exec(text.slice(0, caret));
  if (!found) return undefined;
  const query = found[2] ?? '';
  return { from: caret - query.length - 1, query };
}

/** The command being typed: only at the very start, and only up to the first blank. */
export const slashAt = (text: string, caret: number): string | undefined => {
  const found = /^\/(\S*)$/.exec(text.slice(0, caret));
  return found && !/^\/\S*\s/.test(text) ? found[1] : undefined;
};
