import type { IBuffer, IBufferCell } from '@xterm/headless';

/** A colour as the program set it: a palette number or `#rrggbb`; undefined is the terminal's own. */
export type Colour = number | string | undefined;

export interface Style {
  readonly fg?: Colour;
  readonly bg?: Colour;
  readonly bold?: true;
  readonly dim?: true;
  readonly italic?: true;
  readonly underline?: true;
  readonly inverse?: true;
  readonly strikethrough?: true;
}

/** One place on the screen. Wide characters take two, of which the second has width 0 and no text. */
export interface Cell extends Style {
  readonly text: string;
  readonly width: number;
}

/** Rows of cells from the buffer row `from` on. */
export const cellsOf = (buffer: IBuffer, from: number, rows: number, columns: number): Cell[][] =>
  Array.from({ length: rows }, (_, row) => {
    const line = buffer.getLine(from + row);
    return Array.from({ length: columns }, (_, column) => cellOf(line?.getCell(column)));
  });

/** Rows as plain text, blanks at their ends removed. */
export const textRows = (buffer: IBuffer, from: number, rows: number): string[] =>
  Array.from(
    { length: rows },
    (_, row) =>
      buffer
        .getLine(from + row)
        ?.translateToString(true)
        .trimEnd() ?? '',
  );

/** Cells of equal style next to each other in a row. */
export interface Run {
  readonly column: number;
  readonly cells: readonly Cell[];
  readonly style: Style;
}

export const runsOf = (row: readonly Cell[]): Run[] => {
  const runs: { column: number; cells: Cell[]; style: Style }[] = [];
  for (const [column, cell] of row.entries()) {
    const last = runs.at(-1);
    if (last && markOf(last.style) === markOf(cell)) last.cells.push(cell);
    else runs.push({ column, cells: [cell], style: cell });
  }
  return runs;
};

/**
 * The screen as text for a snapshot, with marks where a style begins and ends:
 * `‹bold fg=2›done‹/› and plain`. Blanks at the ends of rows and empty rows at the foot are left out.
 */
export const snapshot = (cells: readonly (readonly Cell[])[]): string =>
  cells
    .map((row) =>
      runsOf(row.slice(0, row.findLastIndex(isInked) + 1))
        .map(({ cells: run, style }) => {
          const text = run.map((cell) => cell.text).join('');
          return markOf(style) === '' ? text : `‹${markOf(style)}›${text}‹/›`;
        })
        .join(''),
    )
    .join('\n')
    .trimEnd();

const markOf = ({ fg, bg, ...flags }: Style): string =>
  [
    ...(['bold', 'dim', 'italic', 'underline', 'inverse', 'strikethrough'] as const).filter(
      (flag) => flags[flag],
    ),
    ...(fg === undefined ? [] : [`fg=${fg}`]),
    ...(bg === undefined ? [] : [`bg=${bg}`]),
  ].join(' ');

const isInked = (cell: Cell): boolean =>
  cell.text.trim() !== '' || cell.bg !== undefined || cell.inverse === true;

const cellOf = (cell: IBufferCell | undefined): Cell => {
  if (!cell) return { text: ' ', width: 1 };
  const width = cell.getWidth();
  return {
    text: width === 0 ? '' : cell.getChars() || ' ',
    width,
    ...(cell.isFgDefault() ? {} : { fg: colour(cell.getFgColor(), cell.isFgRGB()) }),
    ...(cell.isBgDefault() ? {} : { bg: colour(cell.getBgColor(), cell.isBgRGB()) }),
    ...(cell.isBold() ? { bold: true } : {}),
    ...(cell.isDim() ? { dim: true } : {}),
    ...(cell.isItalic() ? { italic: true } : {}),
    ...(cell.isUnderline() ? { underline: true } : {}),
    ...(cell.isInverse() ? { inverse: true } : {}),
    ...(cell.isStrikethrough() ? { strikethrough: true } : {}),
  };
};

const colour = (value: number, rgb: boolean): Colour =>
  rgb ? `#${value.toString(16).padStart(6, '0')}` : value;
