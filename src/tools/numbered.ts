/** Lines as `cat -n` shows them. */
export interface Excerpt {
  readonly text: string;
  /** Lines shown. */
  readonly count: number;
  /** Characters were left out at the end of lines or below the last. */
  readonly cut: boolean;
}

const LONGEST_LINE = 2_000;
const NUMBER_WIDTH = 6;

/** Numbers lines from `first`, cuts long ones, and stops where `maxChars` are reached. */
export const numbered = (lines: readonly string[], first: number, maxChars: number): Excerpt => {
  const shown: string[] = [];
  let chars = 0;
  let cut = false;
  for (const [index, line] of lines.entries()) {
    const ends = line.endsWith('\r') ? line.slice(0, -1) : line;
    const long = ends.length > LONGEST_LINE;
    const text = long
      ? `${whole(ends.slice(0, LONGEST_LINE))} [${ends.length - LONGEST_LINE} more characters]`
      : ends;
    const row = `${String(first + index).padStart(NUMBER_WIDTH)}\t${text}`;
    if (shown.length > 0 && chars + row.length > maxChars)
      return { text: shown.join('\n'), count: shown.length, cut: true };
    shown.push(row);
    chars += row.length + 1;
    cut ||= long;
  }
  return { text: shown.join('\n'), count: shown.length, cut };
};

/** Without the first half of a character that was cut in two. */
const whole = (text: string): string => (text.isWellFormed() ? text : text.slice(0, -1));
