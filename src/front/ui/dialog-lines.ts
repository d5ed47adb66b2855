import type { Drawn } from './ask-lines.ts';
import { divider } from './item-lines.ts';
import { markdown } from './markdown.ts';
import { pickLines } from './picker.ts';
import type { Dialog } from './screen-state.ts';
import { as, blank, type Line, span } from './span.ts';
import type { Look } from './tool-lines.ts';
import { cells } from './width.ts';

/** A list, a line to fill in, or a question of a command, in place of the prompt. */
export function dialogLines(dialog: Dialog, look: Look, rows: number): Drawn {
  switch (dialog.kind) {
    case 'pick':
      return pickLines(dialog.picker, look, rows);
    case 'input': {
      const body = dialog.body
        ? [
            ...markdown(dialog.body, { ...look, width: look.width - 4 }).map(
              (row): Line => [span('  '), ...row],
            ),
            blank,
          ]
        : [];
      const shown = dialog.secret ? '•'.repeat([...dialog.text].length) : dialog.text;
      const tail = shown.slice(-(look.width - 8));
      return {
        lines: [
          divider(dialog.title, look.width, { role: 'accent', bold: true }),
          blank,
          ...body,
          [as('accent', '  ❯ '), span(tail)],
          blank,
          [as('faint', '  enter confirm · esc leave')],
        ],
        caret: { row: 2 + body.length, column: 4 + cells(tail) },
      };
    }
    case 'confirm': {
      const body = markdown(dialog.body, { ...look, width: look.width - 4 }).map(
        (row): Line => [span('  '), ...row],
      );
      const options = dialog.options.map(
        (option, index): Line => [
          index === dialog.index ? as('select', '❯ ') : span('  '),
          as('dim', `${index + 1}. `),
          span(option.label, index === dialog.index ? { role: 'select', bold: true } : {}),
        ],
      );
      return {
        lines: [
          divider(dialog.title, look.width, { role: 'accent', bold: true }),
          blank,
          ...body.slice(0, Math.max(3, rows - options.length - 5)),
          blank,
          ...options,
          blank,
          [as('faint', '  ↑↓ or 1-9 choose · enter confirm · esc leave')],
        ],
      };
    }
  }
}
