import { expect, test } from 'vitest';
import { diffLines, patchRows } from '../../src/front/ui/diff-lines.ts';
import { palettes } from '../../src/front/ui/palette.ts';
import type { Role } from '../../src/front/ui/span.ts';
import { contrast } from '../support/contrast.ts';
import { PALETTES } from '../support/picture.ts';

const CODE: readonly Role[] = ['keyword', 'string', 'number', 'function', 'type', 'attribute'];
const QUIET: readonly Role[] = ['comment', 'meta'];

test.each(['dark', 'light', 'dark-daltonized', 'light-daltonized'] as const)(
  'code can be read on every ground that a diff of the theme %s has',
  (name) => {
    const { fore, back } = palettes[name];
    const { addedLine = '', removedLine = '', addedWord = '', removedWord = '' } = back;
    const { bg, fg } = PALETTES[name.startsWith('light') ? 'light' : 'dark'];
    const inks = (roles: readonly Role[]) => roles.map((role) => fore[role] ?? '');
    const pairs = [
      ...[bg, addedLine, removedLine].map((ground) => [ground, inks([...CODE, ...QUIET])] as const),
      ...[addedWord, removedWord].map((ground) => [ground, [fg, ...inks(CODE)]] as const),
      [addedLine, inks(['added'])],
      [removedLine, inks(['removed'])],
    ] as const;
    const faint = pairs.flatMap(([ground, all]) =>
      all.filter((ink) => !(contrast(ink, ground) >= 3)).map((ink) => `${ink} on ${ground}`),
    );
    expect(faint).toEqual([]);
  },
);

test('what changed in a comment is written as plain text is, and the rest of it stays a comment', () => {
  const patch = '@@ -1 +1 @@\n-one two three\n+one four three\n';
  const highlight = (code: string) =>
    code.split('\n').map((text) => [{ text, style: { role: 'comment' as const } }]);
  const [, added = []] = diffLines(patchRows(patch), 'x.ts', 60, highlight);
  expect(added.find(({ text }) => text.includes('four'))?.style).toEqual({ back: 'addedWord' });
  expect(added.find(({ text }) => text.includes('three'))?.style).toMatchObject({ role: 'comment' });
});
