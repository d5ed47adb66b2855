import { type Buffer, before, edits, insert, lineEnd, lineStart, moveTo } from '../editor/buffer.ts';
import { chord, named, type Press, typed } from '../keys.ts';
import { type Prompt, withBuffer } from '../prompt.ts';
import { type PromptAction, type PromptStep, promptKey } from '../prompt-keys.ts';
import { type Done, normalCommand, visualCommand } from './commands.ts';
import { onCharacter } from './motions.ts';
import { parse } from './parse.ts';
import type { Vim } from './vim-state.ts';

export interface VimOptions {
  /** Columns of the prompt. */
  readonly width: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** What letters typed while inserting stand for, such as `jj` for `<Esc>`. */
  readonly remaps: Readonly<Record<string, string>>;
}

/** Letters of a remap must follow each other within this time. */
const REMAP_MS = 1000;

/** One key in the prompt of a person who types as in vim; what vim does not know goes to the prompt as ever. */
export function vimStep(prompt: Prompt, one: Press, options: VimOptions): PromptStep {
  const { vim } = prompt;
  if (!vim) return promptKey(prompt, one, options.width);
  return vim.mode === 'insert' ? inserting(prompt, vim, one, options) : commanding(prompt, vim, one, options);
}

function inserting(prompt: Prompt, vim: Vim, one: Press, options: VimOptions): PromptStep {
  if (chord(one) === 'escape') return { prompt: ended(prompt, vim) };
  const noted: Vim = {
    ...vim,
    ...(vim.recording ? { recording: [...vim.recording, one] } : {}),
    typedAt: options.now,
  };
  const step = promptKey({ ...prompt, vim: noted }, one, options.width);
  if (one.name !== 'text' || step.action) return step;
  return remapped(step.prompt, noted, options.now - vim.typedAt, options) ?? step;
}

/** The letters before the caret, where they stand for another key. */
function remapped(prompt: Prompt, vim: Vim, pause: number, options: VimOptions): PromptStep | undefined {
  const { text, caret } = prompt.buffer;
  const found = Object.entries(options.remaps).find(
    ([letters]) => letters !== '' && text.slice(0, caret).endsWith(letters),
  );
  if (!found || (found[0].length > 1 && pause > REMAP_MS)) return undefined;
  const [letters, meaning] = found;
  const cut: Buffer = {
    ...prompt.buffer,
    text: text.slice(0, caret - letters.length) + text.slice(caret),
    caret: caret - letters.length,
  };
  const without = {
    ...vim,
    ...(vim.recording ? { recording: vim.recording.slice(0, -letters.length) } : {}),
  };
  const back = { ...withBuffer(prompt, cut), vim: without };
  if (/^<(esc|c-\[)>$/i.test(meaning)) return { prompt: ended(back, without) };
  return { prompt: withBuffer(back, insert(cut, meaning)) };
}

/** Insert mode is left: the whole of what was typed is one step of undo and can be repeated. */
function ended(prompt: Prompt, vim: Vim): Prompt {
  const { buffer } = prompt;
  const at =
    buffer.caret > lineStart(buffer.text, buffer.caret) ? before(buffer.text, buffer.caret) : buffer.caret;
  const { recording, mark, ...rest } = vim;
  return {
    ...withBuffer(prompt, {
      ...moveTo(buffer, at),
      past: mark === undefined ? buffer.past : buffer.past.slice(0, mark + 1),
    }),
    menu: undefined,
    vim: {
      ...rest,
      mode: 'normal',
      keys: '',
      ...(recording ? { change: [...recording, named('escape')] } : {}),
    },
  };
}

function commanding(prompt: Prompt, vim: Vim, one: Press, options: VimOptions): PromptStep {
  const name = chord(one);
  const visual = vim.mode !== 'normal';
  const left = { ...prompt, vim: { ...vim, mode: 'normal' as const, keys: '' } };
  if (name === 'escape')
    return visual || vim.keys !== '' ? { prompt: left } : promptKey(left, one, options.width);
  if (one.name !== 'text' && name !== 'backspace') {
    const step = promptKey({ ...prompt, vim: { ...vim, keys: '' } }, one, options.width);
    return step.action ? step : { prompt: settled(step.prompt) };
  }
  const keys = vim.keys + (one.name === 'text' ? one.text : 'h');
  const command = parse(keys, visual);
  if (command.kind === 'pending') return { prompt: { ...prompt, vim: { ...vim, keys } } };
  if (command.kind === 'unknown') return { prompt: { ...prompt, vim: { ...vim, keys: '' } } };
  if (command.kind === 'simple' && command.keys === '.' && !visual)
    return repeated({ ...prompt, vim: { ...vim, keys: '' } }, vim.change, options);
  const done = visual
    ? visualCommand(command, prompt.buffer, vim)
    : normalCommand(command, prompt.buffer, vim);
  return carried(prompt, vim, done, [...keys].map(typed));
}

/** What a command did, noted for `.` and for undo. */
function carried(prompt: Prompt, vim: Vim, done: Done, pressed: readonly Press[]): PromptStep {
  const action: PromptAction | undefined = done.action;
  const mode = done.mode ?? 'normal';
  const next: Vim = {
    ...vim,
    mode,
    keys: '',
    ...(done.register ? { register: done.register } : {}),
    ...(done.find ? { find: done.find } : {}),
    ...(done.anchor === undefined ? {} : { anchor: done.anchor }),
    ...(mode === 'insert'
      ? { mark: prompt.buffer.past.length, recording: done.changes ? pressed : undefined }
      : done.changes
        ? { change: pressed }
        : {}),
  };
  const moved = { ...withBuffer(prompt, done.buffer), browsing: undefined, vim: next };
  return { prompt: settled(moved), ...(action ? { action } : {}) };
}

/** `.`: the keys of the last change once more. */
function repeated(prompt: Prompt, change: readonly Press[], options: VimOptions): PromptStep {
  const again = change.reduce((now, one) => vimStep(now, one, options).prompt, prompt);
  return { prompt: again };
}

/** Outside insert mode the caret stands on a character; a selection may reach behind the last one. */
function settled(prompt: Prompt): Prompt {
  const { vim, buffer } = prompt;
  if (vim?.mode !== 'normal') return prompt;
  const at = onCharacter(buffer.text, buffer.caret);
  return at === buffer.caret ? prompt : { ...prompt, buffer: { ...buffer, caret: at } };
}

/** The part of the text that is selected. */
export function selectionOf(prompt: Prompt): { readonly from: number; readonly to: number } | undefined {
  const { vim, buffer } = prompt;
  if (!vim || (vim.mode !== 'visual' && vim.mode !== 'visual-line')) return undefined;
  const [from, last] = [Math.min(vim.anchor, buffer.caret), Math.max(vim.anchor, buffer.caret)];
  return vim.mode === 'visual'
    ? { from, to: edits.right(moveTo(buffer, last)).caret }
    : { from: lineStart(buffer.text, from), to: lineEnd(buffer.text, last) };
}
