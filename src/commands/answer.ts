import type { CommandResult } from '../contract/command.ts';

export type Said = Extract<CommandResult, { kind: 'text' }>;

/** Markdown for the person. */
export const text = (markdown: string): Said => ({ kind: 'text', text: markdown });
/** What went wrong and what to type instead. */
export const refused = (sentence: string): Said => ({ kind: 'text', text: sentence, failed: true });
export const done: CommandResult = { kind: 'done' };

/** Thousands as people read them: 950, 12.3k, 1.2M. */
export const shortNumber = (value: number): string =>
  value < 1000
    ? String(value)
    : value < 1_000_000
      ? `${(value / 1000).toFixed(value < 10_000 ? 1 : 0)}k`
      : `${(value / 1_000_000).toFixed(1)}M`;

export const dollars = (value: number | undefined): string =>
  value === undefined ? 'price unknown' : `$${value.toFixed(value < 1 ? 4 : 2)}`;

const FIGURE = /^(?:price unknown|[$]?[\d.,]+\s?[kMB%]*)$/;

/** A markdown table; columns of figures stand to the right. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [
    head,
    head.map((_, at) => (rows.length > 0 && rows.every((row) => FIGURE.test(row[at] ?? '')) ? '--:' : '---')),
    ...rows,
  ]
    .map(
      (cells) =>
        `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')).join(' | ')} |`,
    )
    .join('\n');
