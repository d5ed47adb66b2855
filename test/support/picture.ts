import { writeFile } from 'node:fs/promises';
import { Resvg } from '@resvg/resvg-js';
import { boxPath } from './box-drawing.ts';
import { type Cell, type Colour, runsOf, type Style } from './screen.ts';

export interface PictureOptions {
  readonly theme?: 'dark' | 'light';
  /** Stands in the frame's head. */
  readonly title?: string;
  /** Pixels of the picture for each unit of the drawing (default 2, for sharp screens). */
  readonly scale?: number;
}

const SIZE = 14;
/** DejaVu Sans Mono advances by 1233/2048 of its size. */
const WIDTH = (SIZE * 1233) / 2048;
const HEIGHT = 19;
const BASELINE = 14;
const MARGIN = 28;
const PADDING = 18;
const HEAD = 34;

interface Palette {
  readonly fg: string;
  readonly bg: string;
  readonly around: string;
  readonly frame: string;
  readonly sixteen: readonly string[];
}

export const PALETTES: Readonly<Record<'dark' | 'light', Palette>> = {
  dark: {
    fg: '#d8dee9',
    bg: '#14171c',
    around: '#2b313b',
    frame: '#39414d',
    sixteen:
      '#2a2f38 #e06c75 #8fc379 #e2b96a #6cb0f2 #c58be0 #58b8c4 #c3cad5 #6b7482 #ef8a92 #a8d892 #f0cd86 #8cc4ff #d9a8f0 #7dd3dd #eef1f6'.split(
        ' ',
      ),
  },
  light: {
    fg: '#2a2f38',
    bg: '#fdfdfb',
    around: '#e4e6ea',
    frame: '#c9cdd4',
    sixteen:
      '#2a2f38 #b3261e #2f7d32 #8a6100 #1f5fbf #8236a8 #0f7480 #6b7482 #7d8692 #cf3a31 #3d9440 #a87a10 #3577d4 #9a4dc0 #1b8a97 #1b1f26'.split(
        ' ',
      ),
  },
};

/** The screen as an SVG drawing: a window with a title, on a plain ground. */
export const svgOf = (cells: readonly (readonly Cell[])[], options: PictureOptions = {}): string => {
  const palette = PALETTES[options.theme ?? 'dark'];
  const inner = {
    width: (cells[0]?.length ?? 0) * WIDTH + 2 * PADDING,
    height: cells.length * HEIGHT + 2 * PADDING + HEAD,
  };
  const [width, height] = [inner.width + 2 * MARGIN, inner.height + 2 * MARGIN].map(Math.ceil);
  const middle = MARGIN + HEAD / 2;
  const rows = cells.map((row, at) =>
    rowOf(row, MARGIN + PADDING, MARGIN + HEAD + PADDING + at * HEIGHT, palette),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="DejaVu Sans Mono" font-size="${SIZE}" xml:space="preserve">
<rect width="100%" height="100%" fill="${palette.around}"/>
<rect x="${MARGIN}" y="${MARGIN}" width="${inner.width}" height="${inner.height}" rx="10" fill="${palette.bg}" stroke="${palette.frame}"/>
${['#ec6a5e', '#f4bf4f', '#61c554'].map((dot, at) => `<circle cx="${MARGIN + 20 + at * 20}" cy="${middle}" r="6" fill="${dot}"/>`).join('')}
<text x="${MARGIN + inner.width / 2}" y="${middle + 5}" text-anchor="middle" fill="${palette.sixteen[8]}">${escaped(options.title ?? '')}</text>
${rows.join('\n')}
</svg>`;
};

/** The screen as a PNG file, drawn in DejaVu Sans Mono. */
export const writePicture = async (
  path: string,
  cells: readonly (readonly Cell[])[],
  options: PictureOptions = {},
): Promise<void> => {
  const drawing = new Resvg(svgOf(cells, options), {
    fitTo: { mode: 'zoom', value: options.scale ?? 2 },
    font: { loadSystemFonts: true, defaultFontFamily: 'DejaVu Sans Mono' },
  });
  await writeFile(path, drawing.render().asPng());
};

const rowOf = (row: readonly Cell[], left: number, top: number, palette: Palette): string =>
  runsOf(row)
    .map(({ column, cells, style }) => {
      const x = left + column * WIDTH;
      const [fg, bg] = coloursOf(style, palette);
      const ground =
        bg === palette.bg
          ? ''
          : `<rect x="${x}" y="${top}" width="${cells.length * WIDTH}" height="${HEIGHT}" fill="${bg}"/>`;
      return ground + inkOf(cells, x, top, `fill="${fg}"${attributesOf(style)}`, fg);
    })
    .join('');

/** Plain letters run on; every other sign is set at its own cell, for its font may not keep the width. */
const inkOf = (cells: readonly Cell[], left: number, top: number, attributes: string, fg: string): string => {
  const parts: { at: number; text: string }[] = [];
  const lines: string[] = [];
  for (const [index, { text }] of cells.entries()) {
    const line = boxPath(text, left + index * WIDTH, top, WIDTH, HEIGHT);
    if (line) lines.push(`<path d="${line}" fill="none" stroke="${fg}" stroke-width="1.2"/>`);
    const last = parts.at(-1);
    if (line || text === '') continue;
    if (last && isPlain(text) && isPlain(last.text) && last.at + last.text.length === index)
      last.text += text;
    else parts.push({ at: index, text });
  }
  const texts = parts
    .filter(({ text }) => text.trim() !== '')
    .map(
      ({ at, text }) =>
        `<text x="${left + at * WIDTH}" y="${top + BASELINE}" ${attributes}>${escaped(text)}</text>`,
    );
  return [...texts, ...lines].join('');
};

const isPlain = (text: string): boolean => /^[ -~]+$/.test(text);

const attributesOf = (style: Style): string =>
  [
    style.bold ? ' font-weight="bold"' : '',
    style.italic ? ' font-style="italic"' : '',
    style.dim ? ' opacity="0.6"' : '',
    style.underline ? ' text-decoration="underline"' : '',
    style.strikethrough ? ' text-decoration="line-through"' : '',
  ].join('');

/** Ink and ground of a style, as hex. */
export const coloursOf = (style: Style, palette: Palette): [string, string] => {
  const fg = hex(style.fg, palette) ?? palette.fg;
  const bg = hex(style.bg, palette) ?? palette.bg;
  return style.inverse ? [bg, fg] : [fg, bg];
};

/** Palette numbers: sixteen of the theme's own, a cube of 216, and 24 greys. */
const hex = (colour: Colour, palette: Palette): string | undefined => {
  if (typeof colour !== 'number') return colour;
  if (colour < 16) return palette.sixteen[colour];
  if (colour >= 232) return rgb([0, 0, 0].map(() => 8 + (colour - 232) * 10));
  const cube = colour - 16;
  return rgb(
    [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((step) =>
      step === 0 ? 0 : 55 + step * 40,
    ),
  );
};

const rgb = (parts: readonly number[]): string =>
  `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
