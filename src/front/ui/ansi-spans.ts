import { safeText } from '../../lib/safe-text.ts';
import { type Line, type Role, type Style, span } from './span.ts';

/**
 * A line of a program's own output with its colours (conventions 15), told by the roles of the theme that come
 * nearest, so that they can be read on any background. Every other sequence is dropped.
 */
export function ansiSpans(text: string, plain: Style): Line {
  let style: Style = plain;
  return text.split(SGR).flatMap((piece, at) => {
    if (at % 2 === 1) {
      style = styled(style, piece, plain);
      return [];
    }
    const safe = safeText(piece).replace(/[\t\n]/g, ' ');
    return safe === '' ? [] : [span(safe, style)];
  });
}

const SGR = /\x1b\[([\d;:]*)m/;

function styled(before: Style, codes: string, plain: Style): Style {
  const numbers = codes.split(/[;:]/).map(Number);
  let style = before;
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0;
    if (code === 38 || code === 48) {
      const [role, taken] = colourAt(numbers, at + 1);
      if (code === 38 && role) style = { ...style, role };
      at += taken;
    } else style = one(style, code, plain);
  }
  return style;
}

function one(style: Style, code: number, plain: Style): Style {
  if (code === 0) return plain;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, role: 'dim' };
  if (code === 3) return { ...style, italic: true };
  if (code === 4) return { ...style, underline: true };
  if (code === 7) return { ...style, inverse: true };
  if (code === 9) return { ...style, strike: true };
  if (code === 22) return { ...style, bold: false };
  if (code === 39) return { ...style, role: plain.role };
  const basic = code >= 30 && code <= 37 ? code - 30 : code >= 90 && code <= 97 ? code - 90 : -1;
  if (code === 90) return { ...style, role: 'faint' };
  return basic < 0 ? style : { ...style, role: ROLES[basic] };
}

/** Black, red, green, yellow, blue, magenta, cyan, white. */
const ROLES: readonly Role[] = ['dim', 'error', 'ok', 'warn', 'link', 'keyword', 'accent', 'plain'];

/** `5;n` or `2;r;g;b` after 38: the role, and how many numbers it took. */
function colourAt(numbers: readonly number[], at: number): readonly [Role | undefined, number] {
  if (numbers[at] === 2) return [nearest(numbers.slice(at + 1, at + 4)), 4];
  if (numbers[at] !== 5) return [undefined, 0];
  const index = numbers[at + 1] ?? 0;
  if (index < 16) return [index === 8 ? 'faint' : ROLES[index % 8], 2];
  if (index > 231) return [index < 244 ? 'faint' : 'plain', 2];
  const cube = index - 16;
  return [nearest([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((part) => part * 51)), 2];
}

/** By which of the three primaries are strong. */
function nearest([red = 0, green = 0, blue = 0]: readonly number[]): Role | undefined {
  const most = Math.max(red, green, blue);
  if (most - Math.min(red, green, blue) < 40) return most < 140 ? 'faint' : 'plain';
  const strong = (part: number): number => (part > most * 0.62 ? 1 : 0);
  return ROLES[strong(red) + 2 * strong(green) + 4 * strong(blue)];
}
