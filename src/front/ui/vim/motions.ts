import { after, before, lineEnd, lineStart } from '../editor/buffer.ts';

/** Where a motion leads; `inclusive` takes the character there along, `lines` whole lines. */
export interface Motion {
  readonly to: number;
  readonly inclusive?: boolean;
  readonly lines?: boolean;
}

/** What `;` and `,` look for again. */
export interface Find {
  readonly key: string;
  readonly char: string;
}

/** 0 for blanks, 1 for words, 2 for signs; with `big` only blanks and what is none. */
const kindAt = (text: string, at: number, big: boolean): number => {
  const char = String.fromCodePoint(text.codePointAt(at) ?? 32);
  if (/\s/.test(char)) return 0;
  return big || /[\p{L}\p{N}\p{M}_]/u.test(char) ? 1 : 2;
};

export const firstInLine = (text: string, at: number): number => {
  const start = lineStart(text, at);
  return start + (/^[^\S\n]*/.exec(text.slice(start, lineEnd(text, at)))?.[0].length ?? 0);
};

/** In normal mode the caret stands on a character, not behind the last one. */
export const onCharacter = (text: string, at: number): number =>
  at > lineStart(text, at) && at >= lineEnd(text, at)
    ? before(text, lineEnd(text, at))
    : Math.min(at, text.length);

const nextWord = (text: string, from: number, big: boolean): number => {
  let at = from;
  const kind = kindAt(text, at, big);
  if (kind !== 0) while (at < text.length && kindAt(text, at, big) === kind) at = after(text, at);
  while (at < text.length && kindAt(text, at, big) === 0) {
    at += 1;
    if (text[at] === '\n' && text[at - 1] === '\n') break;
  }
  return at;
};

const wordEnd = (text: string, from: number, big: boolean): number => {
  let at = after(text, from);
  while (at < text.length && kindAt(text, at, big) === 0) at += 1;
  const kind = kindAt(text, at, big);
  for (let next = after(text, at); next < text.length && kindAt(text, next, big) === kind; )
    [at, next] = [next, after(text, next)];
  return Math.min(at, before(text, text.length));
};

const wordStart = (text: string, from: number, big: boolean): number => {
  let at = before(text, from);
  while (at > 0 && kindAt(text, at, big) === 0) at = before(text, at);
  const kind = kindAt(text, at, big);
  while (at > 0 && kindAt(text, before(text, at), big) === kind) at = before(text, at);
  return at;
};

/** The line so many lines away, same column; nothing beyond the first and last. */
const line = (text: string, at: number, step: 1 | -1): number | undefined => {
  const column = at - lineStart(text, at);
  const target = step === 1 ? lineEnd(text, at) + 1 : lineStart(text, at) - 1;
  if (target < 0 || target > text.length) return undefined;
  const start = lineStart(text, target);
  return Math.min(start + column, lineEnd(text, target));
};

const found = (text: string, at: number, { key, char }: Find, again: boolean): number | undefined => {
  const [start, end] = [lineStart(text, at), lineEnd(text, at)];
  if (key === 'f' || key === 't') {
    const past = key === 't' && again ? 2 : 1;
    const place = text.slice(0, end).indexOf(char, at + past);
    return place < 0 ? undefined : key === 'f' ? place : before(text, place);
  }
  const past = key === 'T' && again ? 2 : 1;
  const place = at - past < start ? -1 : text.lastIndexOf(char, at - past);
  return place < start ? undefined : key === 'F' ? place : after(text, place);
};

const opposite: Readonly<Record<string, string>> = { f: 'F', F: 'f', t: 'T', T: 't' };

/** Pure motions, told by their keys; undefined where they lead nowhere. */
export function motion(
  text: string,
  at: number,
  keys: string,
  count: number | undefined,
  find: Find | undefined,
): Motion | undefined {
  const times = count ?? 1;
  const repeated = (step: (at: number) => number | undefined): number | undefined => {
    let place: number | undefined = at;
    for (let done = 0; done < times && place !== undefined; done++) place = step(place);
    return place;
  };
  const to = (place: number | undefined, more: Omit<Motion, 'to'> = {}): Motion | undefined =>
    place === undefined ? undefined : { to: place, ...more };
  const big = /[WBE]/.test(keys);
  switch (keys[0]) {
    case 'h':
      return to(repeated((place) => (place > lineStart(text, place) ? before(text, place) : place)));
    case 'l':
    case ' ':
      return to(repeated((place) => (place < lineEnd(text, place) ? after(text, place) : place)));
    case 'j':
      return to(
        repeated((place) => line(text, place, 1)),
        { lines: true },
      );
    case 'k':
      return to(
        repeated((place) => line(text, place, -1)),
        { lines: true },
      );
    case 'w':
    case 'W':
      return to(repeated((place) => nextWord(text, place, big)));
    case 'b':
    case 'B':
      return to(repeated((place) => wordStart(text, place, big)));
    case 'e':
    case 'E':
      return to(
        repeated((place) => wordEnd(text, place, big)),
        { inclusive: true },
      );
    case '0':
      return to(lineStart(text, at));
    case '^':
      return to(firstInLine(text, at));
    case '$':
      return to(lineEnd(text, at));
    case 'g':
    case 'G': {
      const lines = text.split('\n');
      const wanted = count ?? (keys === 'gg' ? 1 : lines.length);
      const start = lines.slice(0, Math.min(wanted, lines.length) - 1).join('\n').length;
      return to(firstInLine(text, wanted <= 1 ? 0 : start + 1), { lines: true });
    }
    case 'f':
    case 'F':
    case 't':
    case 'T':
    case ';':
    case ',': {
      const again = keys === ';' || keys === ',';
      const wish = again
        ? find && { ...find, key: keys === ',' ? (opposite[find.key] ?? find.key) : find.key }
        : { key: keys[0], char: keys.slice(1) };
      if (!wish) return undefined;
      const place = repeated((from) => found(text, from, wish, again || from !== at));
      return to(place, { inclusive: wish.key === 'f' || wish.key === 't' });
    }
    default:
      return undefined;
  }
}
