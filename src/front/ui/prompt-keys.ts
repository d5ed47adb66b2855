import { type Edit, edits, insert, moveTo, remove } from './editor/buffer.ts';
import { layout, placeOf, vertical } from './editor/layout.ts';
import { chord, type Press } from './keys.ts';
import { filled, mentionAt, type Prompt, withBuffer } from './prompt.ts';
import { isQuiet } from './slash-menu.ts';

/** What a key in the prompt asks of the rest of the screen. */
export type PromptAction =
  | 'submit'
  | 'interrupt'
  | 'cancel'
  | 'escape'
  | 'end-of-input'
  | 'cycle-mode'
  | 'transcript'
  | 'tasks'
  | 'background'
  | 'edit'
  | 'suspend'
  | 'redraw'
  | 'thinking'
  | 'model'
  | 'paste-image'
  | 'history-older'
  | 'history-newer'
  | 'search'
  | 'help'
  | 'work'
  | 'stash'
  | 'fast'
  | 'kill-agents';

export interface PromptStep {
  readonly prompt: Prompt;
  readonly action?: PromptAction;
}

const bound: Readonly<Record<string, Edit>> = {
  left: 'left',
  right: 'right',
  home: 'lineStart',
  end: 'lineEnd',
  backspace: 'deleteBack',
  delete: 'deleteForward',
  'ctrl+a': 'lineStart',
  'ctrl+e': 'lineEnd',
  'ctrl+f': 'right',
  'ctrl+h': 'deleteBack',
  'ctrl+k': 'killToEnd',
  'ctrl+u': 'killToStart',
  'ctrl+w': 'killBlank',
  'ctrl+y': 'yank',
  'alt+b': 'wordLeft',
  'alt+f': 'wordRight',
  'alt+d': 'killWord',
  'alt+y': 'yankPop',
  'alt+backspace': 'killWordBack',
  'ctrl+backspace': 'killWordBack',
  'ctrl+delete': 'killWord',
  'alt+left': 'wordLeft',
  'alt+right': 'wordRight',
  'ctrl+left': 'wordLeft',
  'ctrl+right': 'wordRight',
  'ctrl+home': 'start',
  'ctrl+end': 'end',
  'alt+enter': 'newline',
  'shift+enter': 'newline',
  'ctrl+enter': 'newline',
  'ctrl+j': 'newline',
  'ctrl+alt+j': 'newline',
  'ctrl+_': 'undo',
  'ctrl+/': 'undo',
  'ctrl+-': 'undo',
  'ctrl+shift+-': 'undo',
  'ctrl+shift+_': 'undo',
  'alt+_': 'redo',
  'alt+/': 'redo',
  'shift+left': 'left',
  'shift+right': 'right',
  'shift+backspace': 'deleteBack',
};

const actions: Readonly<Record<string, PromptAction>> = {
  'ctrl+c': 'cancel',
  escape: 'escape',
  'shift+tab': 'cycle-mode',
  'ctrl+o': 'transcript',
  'ctrl+t': 'tasks',
  'ctrl+b': 'background',
  'ctrl+g': 'edit',
  'ctrl+z': 'suspend',
  'ctrl+l': 'redraw',
  'alt+t': 'thinking',
  'alt+p': 'model',
  'ctrl+v': 'paste-image',
  'ctrl+p': 'history-older',
  'ctrl+n': 'history-newer',
  'ctrl+r': 'search',
  'ctrl+s': 'stash',
  'alt+o': 'fast',
  'chat:killAgents': 'kill-agents',
  '?': 'help',
};

/** One key in the prompt. Pure: what it does to the text, and what it asks for. */
export function promptKey(prompt: Prompt, one: Press, width: number): PromptStep {
  const name = chord(one);
  if (prompt.menu && prompt.menu.entries.length > 0) {
    const step = menuKey(prompt, name);
    if (step) return step;
  }
  if (one.name === 'text') return typedKey(prompt, one.text);
  if (name === 'enter') return enter(prompt);
  if (name === 'up' || name === 'down') return arrow(prompt, name, width);
  if (name === 'ctrl+d')
    return prompt.buffer.text === '' ? { prompt, action: 'end-of-input' } : edited(prompt, 'deleteForward');
  if (
    prompt.shell &&
    prompt.buffer.text === '' &&
    (name === 'backspace' || name === 'escape' || name === 'ctrl+u')
  )
    return { prompt: { ...prompt, shell: false } };
  const action = actions[name];
  if (action) return { prompt, action };
  const edit = bound[name];
  return edit ? edited(prompt, edit) : { prompt };
}

const edited = (prompt: Prompt, edit: Edit): PromptStep => ({
  prompt: { ...withBuffer(prompt, edits[edit](prompt.buffer)), browsing: undefined },
});

function typedKey(prompt: Prompt, text: string): PromptStep {
  const empty = prompt.buffer.text === '';
  if (empty && !prompt.shell && text === '?') return { prompt, action: 'help' };
  if (empty && !prompt.shell && text.startsWith('!'))
    return { prompt: { ...withBuffer(prompt, insert(prompt.buffer, text.slice(1))), shell: true } };
  return { prompt: { ...withBuffer(prompt, insert(prompt.buffer, text)), browsing: undefined } };
}

/** A backslash before Enter makes a new line instead. */
function enter(prompt: Prompt): PromptStep {
  const { text, caret } = prompt.buffer;
  if (text[caret - 1] === '\\')
    return { prompt: withBuffer(prompt, insert(remove(prompt.buffer, caret - 1, caret), '\n')) };
  return { prompt, action: 'submit' };
}

/** Up and Down move between rows; at the edge they go through history, first to the start or end of the text. */
function arrow(prompt: Prompt, name: 'up' | 'down', width: number): PromptStep {
  const rows = layout(prompt.buffer.text, width);
  const step = vertical(rows, prompt.buffer.caret, name === 'up' ? -1 : 1, prompt.goal);
  if (step) return { prompt: { ...prompt, buffer: moveTo(prompt.buffer, step.caret), goal: step.goal } };
  if (name === 'up') return { prompt, action: 'history-older' };
  const atEnd = prompt.buffer.caret === prompt.buffer.text.length;
  if (prompt.browsing) return { prompt, action: 'history-newer' };
  if (!atEnd && rows.length > 1 && placeOf(rows, prompt.buffer.caret).row === rows.length - 1)
    return { prompt: withBuffer(prompt, edits.end(prompt.buffer)) };
  return { prompt, action: prompt.buffer.text === '' ? 'work' : 'history-newer' };
}

function menuKey(prompt: Prompt, name: string): PromptStep | undefined {
  const menu = prompt.menu;
  if (!menu) return undefined;
  const count = menu.entries.length;
  const moved = (step: number): PromptStep => ({
    prompt: {
      ...prompt,
      menu: { ...menu, index: (Math.max(menu.index, step < 0 ? 0 : -1) + step + count) % count },
    },
  });
  if (name === 'up' || name === 'ctrl+p') return moved(-1);
  if (name === 'down' || name === 'ctrl+n') return moved(1);
  if (name === 'escape') return { prompt: { ...prompt, menu: undefined, dismissed: prompt.buffer.text } };
  if (name === 'tab') return { prompt: accepted(prompt) };
  // What nobody chose is not taken: Enter sends the text as it is.
  if (name !== 'enter' || menu.index < 0) return undefined;
  if (menu.kind !== 'slash')
    return menu.entries[menu.index]?.insert === menu.query ? undefined : { prompt: accepted(prompt) };
  return { prompt: accepted(prompt), action: 'submit' };
}

/** Puts the chosen entry into the text. */
function accepted(prompt: Prompt): Prompt {
  const menu = prompt.menu;
  if (!menu) return prompt;
  const at = Math.max(0, menu.index);
  if (menu.kind === 'slash') {
    const entry = menu.entries[at];
    return entry ? filled(prompt, `/${entry.name} `) : prompt;
  }
  const entry = menu.entries[at];
  if (!entry) return prompt;
  const { text } = prompt.buffer;
  if (menu.kind === 'argument') {
    const whole = `${text.slice(0, menu.from)}${entry.insert}`;
    return { ...filled(prompt, whole), dismissed: whole };
  }
  const insertion = `@${/\s/.test(entry.insert) ? `"${entry.insert}"` : entry.insert}${entry.insert.endsWith('/') ? '' : ' '}`;
  const cut = remove(prompt.buffer, menu.from, prompt.buffer.caret);
  return {
    ...withBuffer(prompt, insert({ ...cut, last: 'other' }, insertion)),
    menu: undefined,
    dismissed: entry.insert.endsWith('/') ? undefined : text,
  };
}

/** What stands after `@` at the caret, unless its menu was closed. */
export const mentionWanted = (
  prompt: Prompt,
): { readonly from: number; readonly query: string } | undefined =>
  isQuiet(prompt) ? undefined : mentionAt(prompt.buffer.text, prompt.buffer.caret);
