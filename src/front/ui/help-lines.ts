import { as, blank, type Line, span } from './span.ts';
import { cells } from './width.ts';
import { clipLine } from './wrap.ts';

const keys: readonly (readonly [string, string])[] = [
  ['/', 'commands'],
  ['@', 'files and agents'],
  ['!', 'shell; the model answers'],
  ['?', 'this help'],
  ['enter', 'send'],
  ['\\ enter, ctrl+j', 'new line'],
  ['↑ ↓', 'history'],
  ['ctrl+r', 'search history'],
  ['esc', 'interrupt'],
  ['esc esc', 'clear, or rewind'],
  ['shift+tab', 'change mode'],
  ['ctrl+o', 'whole transcript'],
  ['ctrl+t', 'tasks'],
  ['ctrl+b', 'to the background'],
  ['↓', 'agents: enter opens, x stops'],
  ['ctrl+g', 'your editor'],
  ['ctrl+v', 'paste a picture'],
  ['alt+t', 'thinking'],
  ['alt+p', 'model'],
  ['ctrl+s', 'put the draft aside'],
  ['ctrl+_', 'undo'],
  ['ctrl+l', 'draw again'],
  ['ctrl+z', 'suspend'],
  ['ctrl+c ctrl+c', 'leave'],
  ['ctrl+d ctrl+d', 'leave'],
];

/** The keys, in as many columns as fit. */
export function helpLines(columns: number): Line[] {
  const wide = 42;
  const across = Math.max(1, Math.min(3, Math.floor((columns - 2) / wide)));
  const down = Math.ceil(keys.length / across);
  return [
    blank,
    ...Array.from(
      { length: down },
      (_, row): Line =>
        clipLine(
          [
            span('  '),
            ...Array.from({ length: across }, (_, column) => keys[column * down + row]).flatMap((entry) =>
              entry
                ? [
                    as('accent', entry[0].padEnd(16)),
                    as('dim', ` ${entry[1]}`),
                    span(' '.repeat(Math.max(1, wide - 17 - cells(entry[1])))),
                  ]
                : [],
            ),
          ],
          columns - 1,
        ),
    ),
  ];
}
