/** A working day of which every sight is judged: nothing slipped, lost, shown twice, or too faint to read. */
import { expect } from 'vitest';
import { contrast } from '../support/contrast.ts';
import { coloursOf, PALETTES } from '../support/picture.ts';
import type { Cell } from '../support/screen.ts';
import type { Terminal } from '../support/terminal.ts';
import { AHEAD, PROMPTS, workingDay } from './sitting.ts';

const RULE = /^─{20,}$/;
/** What must never be read by a person: a slip of the program in place of words. */
const SLIPS = /undefined|NaN|\[object Object\]|could not be drawn|shown as it came|\x1b|\u{fffd}/u;

/** Words that can hardly be told from what they stand on. */
const faint = (rows: readonly (readonly Cell[])[], theme: 'dark' | 'light'): string[] =>
  rows.flatMap((row) =>
    row
      .filter(({ text }) => /[\p{L}\p{N}]/u.test(text))
      .filter((cell) => {
        const [ink, ground] = coloursOf(cell, PALETTES[theme]);
        return contrast(ink, ground) < 3;
      })
      .slice(0, 1)
      .map(
        (cell) =>
          `"${cell.text}" in "${row
            .map(({ text }) => text)
            .join('')
            .trim()}"`,
      ),
  );

/** What is wrong with a sight. */
const faults = (screen: Terminal, theme: 'dark' | 'light', columns: number): string[] => {
  const rows = screen.screen();
  const rules = rows.filter((row) => RULE.test(row.trim()) && row.startsWith('─'));
  const slip = rows.find((row) => SLIPS.test(row));
  return [
    ...(slip === undefined ? [] : [`A slip: ${slip}`]),
    ...faint(screen.cells(), theme).map((word) => `Hardly legible: ${word}`),
    // The prompt stands between its two rules, once; a question or a page has none.
    ...(rules.length === 0 || rules.length === 2 ? [] : [`${rules.length} rules`]),
    ...rules.filter((rule) => rule.length > columns).map((rule) => `A rule of ${rule.length} cells`),
    ...(rows.some((row) => row.trim() !== '') ? [] : ['Nothing']),
  ];
};

/** Sits through the day and judges it; `theme` as in the settings. */
export const judgedDay = async (columns: number, theme: string): Promise<void> => {
  const ground = theme.startsWith('light') ? 'light' : 'dark';
  const wrong: Record<string, readonly string[]> = {};
  let cleared = 0;
  await workingDay(
    {
      columns,
      theme,
      look(name, screen) {
        const found = faults(screen, ground, columns);
        if (found.length > 0) wrong[name] = found;
        if (name === '50-compacted') {
          // Each prompt went into the scrollback once, whatever was resized, repeated and drawn over.
          const text = screen.text().replace(/\s+/g, ' ');
          for (const prompt of PROMPTS.slice(0, 8))
            expect([prompt, text.split(prompt).length]).toEqual([prompt, 2]);
          cleared = screen.raw().split('\x1b[2J').length - 1;
        }
      },
    },
    async ({ on, terminals }) => {
      expect(wrong).toEqual({});
      // The screen is wiped for a page of its own and after the window grew narrower, never while words come in.
      expect(cleared).toBeLessThanOrEqual(4);
      const [first, second] = terminals;
      expect(await on.breaches({ kept: [...PROMPTS, AHEAD], ...(first ? { terminal: first } : {}) })).toEqual(
        [],
      );
      expect(await on.breaches(second ? { terminal: second } : {})).toEqual([]);
      // What was typed ahead went along with the results of the next call.
      expect(on.server.requests.find(({ raw }) => raw.includes(AHEAD))?.results.length).toBeGreaterThan(0);
      const last = on.server.requests.at(-1);
      expect(last?.raw).toContain('mended `nearNames`');
      expect(last?.raw).toContain(PROMPTS[8]);
      expect(last?.raw).not.toContain(PROMPTS[0]);
    },
  );
};
