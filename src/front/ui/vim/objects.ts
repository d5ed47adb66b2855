import { lineEnd, lineStart } from '../editor/buffer.ts';

/** A part of the text, the end not included. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const brackets: Readonly<Record<string, readonly [string, string]>> = {
  '(': ['(', ')'],
  ')': ['(', ')'],
  b: ['(', ')'],
  '[': ['[', ']'],
  ']': ['[', ']'],
  '{': ['{', '}'],
  '}': ['{', '}'],
  B: ['{', '}'],
  '<': ['<', '>'],
  '>': ['<', '>'],
};

/** What `iw`, `a"`, `i(` and the like mean at a place; undefined where there is none. */
export function textObject(text: string, at: number, keys: string): Range | undefined {
  const around = keys[0] === 'a';
  const kind = keys[1] ?? '';
  if (kind === 'w' || kind === 'W') return word(text, at, around, kind === 'W');
  if (kind === '"' || kind === "'" || kind === '`') return quoted(text, at, around, kind);
  const pair = brackets[kind];
  return pair && enclosed(text, at, around, pair);
}

function word(text: string, at: number, around: boolean, big: boolean): Range | undefined {
  const runs = big ? /\S+|[^\S\n]+/gu : /[\p{L}\p{N}\p{M}_]+|[^\S\n]+|[^\s\p{L}\p{N}\p{M}_]+/gu;
  const start = lineStart(text, at);
  const parts = [...text.slice(start, lineEnd(text, at)).matchAll(runs)].map((match) => ({
    from: start + match.index,
    to: start + match.index + match[0].length,
    blank: /^\s/.test(match[0]),
  }));
  const here = parts.findIndex((part) => part.from <= at && at < part.to);
  const one = parts[here < 0 ? parts.length - 1 : here];
  if (!one || !around) return one;
  const [before, after] = [parts[here - 1], parts[here + 1]];
  if (after && (after.blank || one.blank)) return { from: one.from, to: after.to };
  return before?.blank ? { from: before.from, to: one.to } : one;
}

function quoted(text: string, at: number, around: boolean, mark: string): Range | undefined {
  const start = lineStart(text, at);
  const row = text.slice(start, lineEnd(text, at));
  const places = row
    .split('')
    .flatMap((char, index) => (char === mark && row[index - 1] !== '\\' ? [index] : []));
  for (let pair = 0; pair + 1 < places.length; pair += 2) {
    const [open = 0, close = 0] = [places[pair], places[pair + 1]];
    if (at - start > close) continue;
    return around
      ? { from: start + open, to: start + close + 1 }
      : { from: start + open + 1, to: start + close };
  }
  return undefined;
}

function enclosed(
  text: string,
  at: number,
  around: boolean,
  [open, close]: readonly [string, string],
): Range | undefined {
  let depth = 0;
  let from = -1;
  for (let place = at; place >= 0 && from < 0; place--) {
    if (text[place] === close && place !== at) depth += 1;
    else if (text[place] === open) {
      if (depth === 0) from = place;
      else depth -= 1;
    }
  }
  if (from < 0) return undefined;
  depth = 0;
  for (let place = from + 1; place < text.length; place++) {
    if (text[place] === open) depth += 1;
    else if (text[place] === close) {
      if (depth === 0) return around ? { from, to: place + 1 } : { from: from + 1, to: place };
      depth -= 1;
    }
  }
  return undefined;
}
