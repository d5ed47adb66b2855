/** The text being typed, as a value. Places are UTF-16 offsets on character boundaries. */
export interface Buffer {
  readonly text: string;
  readonly caret: number;
  /** Newest last. */
  readonly kills: readonly string[];
  readonly past: readonly Moment[];
  readonly future: readonly Moment[];
  /** What the last edit was: typing joins into one undo step, kills in a row into one kill. */
  readonly last: 'type' | 'kill' | 'kill-back' | 'yank' | 'other';
  /** Length of what the last yank put in, for Alt+Y. */
  readonly yanked: number;
}
export interface Moment {
  readonly text: string;
  readonly caret: number;
}

export const emptyBuffer: Buffer = {
  text: '',
  caret: 0,
  kills: [],
  past: [],
  future: [],
  last: 'other',
  yanked: 0,
};

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const undoDepth = 200;

/** Where the character before a place begins. */
export function before(text: string, at: number): number {
  if (at <= 0) return 0;
  const from = Math.max(0, at - 64);
  let start = from;
  for (const piece of graphemes.segment(text.slice(from, at))) start = from + piece.index;
  return start;
}

/** Where the character at a place ends. */
export function after(text: string, at: number): number {
  if (at >= text.length) return text.length;
  for (const piece of graphemes.segment(text.slice(at, at + 64))) return at + piece.segment.length;
  return text.length;
}

export const lineStart = (text: string, at: number): number =>
  at <= 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
export const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
};

/** Words are runs of letters, digits and underscores, as in shells and editors. */
function wordBefore(text: string, at: number): number {
  const head = text.slice(0, at);
  const found = /[\p{L}\p{N}_]+[^\p{L}\p{N}_]*$/u.exec(head);
  return found ? found.index : 0;
}
function wordAfter(text: string, at: number): number {
  const found = /^[^\p{L}\p{N}_]*[\p{L}\p{N}_]+/u.exec(text.slice(at));
  return found ? at + found[0].length : text.length;
}
/** Ctrl+W: back to a blank. */
const blankBefore = (text: string, at: number): number => {
  const found = /\S+\s*$/u.exec(text.slice(0, at));
  return found ? found.index : 0;
};

export function insert(buffer: Buffer, text: string): Buffer {
  if (text === '') return buffer;
  const joins = buffer.last === 'type' && !/\s/.test(text.slice(0, 1));
  const next = joins ? buffer : remembered(buffer);
  return {
    ...next,
    text: next.text.slice(0, next.caret) + text + next.text.slice(next.caret),
    caret: next.caret + text.length,
    last: 'type',
    future: [],
  };
}

export const moveTo = (buffer: Buffer, caret: number): Buffer => ({
  ...buffer,
  caret: Math.max(0, Math.min(caret, buffer.text.length)),
  last: 'other',
});

/** Removes a range without keeping it. */
export function remove(buffer: Buffer, from: number, to: number): Buffer {
  if (from >= to) return buffer;
  return {
    ...remembered(buffer),
    text: buffer.text.slice(0, from) + buffer.text.slice(to),
    caret: from,
    last: 'other',
    future: [],
  };
}

/** Removes a range into the kill ring. */
function kill(buffer: Buffer, from: number, to: number, way: 'kill' | 'kill-back'): Buffer {
  if (from >= to) return buffer;
  const cut = buffer.text.slice(from, to);
  const top = buffer.kills.at(-1) ?? '';
  const joins = buffer.last === 'kill' || buffer.last === 'kill-back';
  const kills = joins
    ? [...buffer.kills.slice(0, -1), way === 'kill' ? top + cut : cut + top]
    : [...buffer.kills, cut].slice(-20);
  return {
    ...remembered(buffer),
    text: buffer.text.slice(0, from) + buffer.text.slice(to),
    caret: from,
    kills,
    last: way,
    future: [],
  };
}

/** Replaces everything; can be undone. */
export const replaceAll = (buffer: Buffer, text: string): Buffer =>
  text === buffer.text
    ? moveTo(buffer, text.length)
    : { ...remembered(buffer), text, caret: text.length, last: 'other', future: [] };

function yank(buffer: Buffer): Buffer {
  const text = buffer.kills.at(-1);
  if (text === undefined) return buffer;
  return { ...insert({ ...buffer, last: 'other' }, text), last: 'yank', yanked: text.length };
}

/** Alt+Y: the kill before the one just put in. */
function yankPop(buffer: Buffer): Buffer {
  if (buffer.last !== 'yank' || buffer.kills.length < 2) return buffer;
  const kills = [...buffer.kills.slice(-1), ...buffer.kills.slice(0, -1)];
  const text = kills.at(-1) ?? '';
  const from = buffer.caret - buffer.yanked;
  return {
    ...buffer,
    kills,
    text: buffer.text.slice(0, from) + text + buffer.text.slice(buffer.caret),
    caret: from + text.length,
    yanked: text.length,
  };
}

function undo(buffer: Buffer): Buffer {
  const moment = buffer.past.at(-1);
  if (!moment) return buffer;
  return {
    ...buffer,
    ...moment,
    past: buffer.past.slice(0, -1),
    future: [...buffer.future, { text: buffer.text, caret: buffer.caret }],
    last: 'other',
  };
}
function redo(buffer: Buffer): Buffer {
  const moment = buffer.future.at(-1);
  if (!moment) return buffer;
  return {
    ...buffer,
    ...moment,
    future: buffer.future.slice(0, -1),
    past: [...buffer.past, { text: buffer.text, caret: buffer.caret }],
    last: 'other',
  };
}

/** Edits by name: what keys are bound to. */
export const edits = {
  left: (b: Buffer) => moveTo(b, before(b.text, b.caret)),
  right: (b: Buffer) => moveTo(b, after(b.text, b.caret)),
  wordLeft: (b: Buffer) => moveTo(b, wordBefore(b.text, b.caret)),
  wordRight: (b: Buffer) => moveTo(b, wordAfter(b.text, b.caret)),
  lineStart: (b: Buffer) => moveTo(b, lineStart(b.text, b.caret)),
  lineEnd: (b: Buffer) => moveTo(b, lineEnd(b.text, b.caret)),
  start: (b: Buffer) => moveTo(b, 0),
  end: (b: Buffer) => moveTo(b, b.text.length),
  newline: (b: Buffer) => insert({ ...b, last: 'other' }, '\n'),
  deleteBack: (b: Buffer) => remove(b, markBefore(b.text, b.caret) ?? before(b.text, b.caret), b.caret),
  deleteForward: (b: Buffer) => remove(b, b.caret, after(b.text, b.caret)),
  killToEnd: (b: Buffer) =>
    kill(b, b.caret, b.text[b.caret] === '\n' ? b.caret + 1 : lineEnd(b.text, b.caret), 'kill'),
  killToStart: (b: Buffer) =>
    kill(b, b.text[b.caret - 1] === '\n' ? b.caret - 1 : lineStart(b.text, b.caret), b.caret, 'kill-back'),
  killBlank: (b: Buffer) =>
    kill(b, markBefore(b.text, b.caret) ?? blankBefore(b.text, b.caret), b.caret, 'kill-back'),
  killWordBack: (b: Buffer) =>
    kill(b, markBefore(b.text, b.caret) ?? wordBefore(b.text, b.caret), b.caret, 'kill-back'),
  killWord: (b: Buffer) => kill(b, b.caret, wordAfter(b.text, b.caret), 'kill'),
  yank,
  yankPop,
  undo,
  redo,
} as const satisfies Record<string, (buffer: Buffer) => Buffer>;
export type Edit = keyof typeof edits;

/** Marks of folded pastes and pictures go as one. */
const markBefore = (text: string, at: number): number | undefined => {
  const found = /\[(Pasted text #\d+ \+\d+ lines|Image #\d+)\]$/.exec(text.slice(0, at));
  return found?.index;
};

const remembered = (buffer: Buffer): Buffer => ({
  ...buffer,
  past: [...buffer.past, { text: buffer.text, caret: buffer.caret }].slice(-undoDepth),
});
