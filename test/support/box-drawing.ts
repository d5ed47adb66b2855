/** Which sides of its cell a line sign reaches: north, east, south, west. */
const SIDES: Readonly<Record<string, string>> = {
  '─': 'ew',
  '│': 'ns',
  '┌': 'es',
  '┐': 'sw',
  '└': 'ne',
  '┘': 'nw',
  '├': 'nes',
  '┤': 'nsw',
  '┬': 'esw',
  '┴': 'new',
  '┼': 'nesw',
  '╭': 'es',
  '╮': 'sw',
  '╰': 'ne',
  '╯': 'nw',
  '╶': 'e',
  '╴': 'w',
  '╵': 'n',
  '╷': 's',
  '━': 'ew',
  '┃': 'ns',
};

/** The SVG path of a line sign in its cell, so that frames close whatever the height of a row; undefined for letters. */
export const boxPath = (
  sign: string,
  x: number,
  y: number,
  width: number,
  height: number,
): string | undefined => {
  const sides = SIDES[sign];
  if (sides === undefined) return undefined;
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  const ends: Readonly<Record<string, string>> = {
    n: `${middleX} ${y}`,
    e: `${x + width} ${middleY}`,
    s: `${middleX} ${y + height}`,
    w: `${x} ${middleY}`,
  };
  const [from, to] = [...sides];
  if ('╭╮╰╯'.includes(sign) && from && to) return `M${ends[from]} Q${middleX} ${middleY} ${ends[to]}`;
  return [...sides].map((side) => `M${middleX} ${middleY} L${ends[side]}`).join(' ');
};
