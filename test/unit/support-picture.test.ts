import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Film, shoot } from '../support/film.ts';
import { svgOf } from '../support/picture.ts';
import { tempRepo } from '../support/repo.ts';
import type { Cell } from '../support/screen.ts';

const row = (text: string, style: Omit<Cell, 'text' | 'width'> = {}): Cell[] =>
  Array.from(text, (letter) => ({ text: letter, width: 1, ...style }));

test('equal letters next to each other are one piece of text, lines are drawn', () => {
  const svg = svgOf([[...row('a<b'), ...row('red', { fg: '#ff0000', bold: true }), ...row('╭─')]]);
  expect(
    svg.match(/<text[^>]*>[^<]+<\/text>/g)?.map((text) => text.replace(/x="[^"]*" y="[^"]*" /, '')),
  ).toEqual(['<text fill="#d8dee9">a&lt;b</text>', '<text fill="#ff0000" font-weight="bold">red</text>']);
  expect(svg.match(/<path /g)).toHaveLength(2);
});

test('a film presses keys and takes pictures', async () => {
  await using place = await tempRepo();
  const path = join(place.tmp, 'shots', 'one.png');
  const film = Film.parse({
    columns: 40,
    rows: 6,
    command: ['cat'],
    scenes: [
      { type: 'hello' },
      { key: 'enter' },
      { waitFor: 'hello\nhello' },
      { shot: path, theme: 'light' },
    ],
  });
  expect(await shoot(film)).toEqual([path]);
  expect((await readFile(path)).subarray(1, 4).toString()).toBe('PNG');
});
