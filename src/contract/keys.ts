/** Keys that a person can bind anew (conventions 9): where they hold and what they do. */

/** Where a binding holds: Global everywhere but in text fields, the others while that part of the screen has the keys. */
export const keyContexts = [
  'Global',
  'Chat',
  'Autocomplete',
  'Settings',
  'Confirmation',
  'Tabs',
  'Help',
  'Transcript',
  'HistorySearch',
  'Task',
  'ThemePicker',
  'Attachments',
  'Footer',
  'MessageSelector',
  'DiffDialog',
  'ModelPicker',
  'Select',
  'Plugin',
  'Scroll',
] as const;
export type KeyContext = (typeof keyContexts)[number];

/** Actions, and the key that does each where nothing is bound anew; several keys in a row stand with blanks between. */
export const keyActions: Readonly<Record<string, string>> = {
  'app:interrupt': 'ctrl+c',
  'app:exit': 'ctrl+d',
  'app:toggleTodos': 'ctrl+t',
  'app:toggleTranscript': 'ctrl+o',
  'app:redraw': 'ctrl+l',
  'app:suspend': 'ctrl+z',
  'app:help': '?',
  'history:search': 'ctrl+r',
  'history:previous': 'up',
  'history:next': 'down',
  'chat:submit': 'enter',
  'chat:newline': 'ctrl+j',
  'chat:cancel': 'escape',
  'chat:cycleMode': 'shift+tab',
  'chat:modelPicker': 'alt+p',
  'chat:thinkingToggle': 'alt+t',
  'chat:fastMode': 'alt+o',
  'chat:externalEditor': 'ctrl+g',
  'chat:stash': 'ctrl+s',
  'chat:imagePaste': 'ctrl+v',
  'chat:undo': 'ctrl+_',
  'chat:redo': 'alt+_',
  'chat:killAgents': 'ctrl+x ctrl+k',
  'task:background': 'ctrl+b',
  'autocomplete:accept': 'tab',
  'autocomplete:dismiss': 'escape',
  'autocomplete:previous': 'up',
  'autocomplete:next': 'down',
  'confirm:yes': 'y',
  'confirm:no': 'escape',
  'confirm:previous': 'up',
  'confirm:next': 'down',
  'confirm:nextField': 'tab',
  'confirm:toggle': 'space',
  'confirm:cycleMode': 'shift+tab',
  'confirm:toggleExplanation': 'e',
  'transcript:toggleShowAll': 'ctrl+e',
  'transcript:exit': 'q',
  'historySearch:next': 'ctrl+r',
  'historySearch:accept': 'tab',
  'historySearch:cancel': 'ctrl+c',
  'historySearch:execute': 'enter',
  'help:dismiss': 'escape',
  'select:next': 'down',
  'select:previous': 'up',
  'select:first': 'home',
  'select:last': 'end',
  'select:pageUp': 'pageup',
  'select:pageDown': 'pagedown',
  'select:accept': 'enter',
  'select:cancel': 'escape',
  'messageSelector:up': 'up',
  'messageSelector:down': 'down',
  'messageSelector:top': 'home',
  'messageSelector:bottom': 'end',
  'messageSelector:select': 'enter',
  'scroll:lineUp': 'up',
  'scroll:lineDown': 'down',
  'scroll:pageUp': 'pageup',
  'scroll:pageDown': 'pagedown',
  'scroll:halfPageUp': 'ctrl+u',
  'scroll:halfPageDown': 'ctrl+d',
  'scroll:top': 'home',
  'scroll:bottom': 'end',
};

/** Further keys of several presses that do the same as a single one. */
export const keySequences: Readonly<Record<string, string>> = {
  'ctrl+x ctrl+k': 'chat:killAgents',
  'ctrl+x ctrl+e': 'chat:externalEditor',
  'ctrl+x ctrl+b': 'task:background',
};

export interface KeyBinding {
  readonly context: KeyContext;
  /** As the screen names keys: `ctrl+alt+shift+name`; several in a row with blanks between. */
  readonly keys: string;
  /** One of `keyActions`, or `command:NAME` for a slash command; null takes the key away. */
  readonly action: string | null;
}

/** How a person types. */
export interface TypingHabits {
  readonly vim: boolean;
  /** `{"jj": "<Esc>"}`: what typed letters stand for while vim inserts. */
  readonly remaps: Readonly<Record<string, string>>;
  readonly bindings: readonly KeyBinding[];
}
