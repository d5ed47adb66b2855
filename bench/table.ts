import { figureOf, type Row, ratioOf } from './row.ts';

const HEAD = ['what', 'floors', 'ours', 'ratio', 'foundation', 'target', ''] as const;

/** The rows as text in columns; the last says which goal was reached. */
export const table = (rows: readonly Row[]): string => {
  const lines = [
    HEAD,
    ...rows.map((row) => [
      `${row.what}, ${row.unit}`,
      Object.entries(row.floors)
        .map(([name, value]) => `${name} ${figure(value)}`)
        .join(', '),
      figure(row.ours),
      ratioOf(row) === undefined ? '' : `${ratioOf(row)?.toFixed(2)} x`,
      figure(figureOf(row, row.foundation)),
      figure(figureOf(row, row.target)),
      verdict(row),
    ]),
  ];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

/** `target` and `foundation` where they are reached, `short` where neither is. */
export const verdict = (row: Row): string => {
  const [foundation, target] = [figureOf(row, row.foundation), figureOf(row, row.target)];
  if (target !== undefined && row.ours <= target) return 'target';
  if (foundation !== undefined && row.ours <= foundation) return 'foundation';
  return foundation === undefined && target === undefined ? '' : 'short';
};

const figure = (value: number | undefined): string => {
  if (value === undefined) return '';
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
};
