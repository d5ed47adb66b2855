import type { ScreenFacts } from '../../contract/screen.ts';
import { safeLine } from '../../lib/safe-text.ts';
import { place } from './footer-lines.ts';
import { as, blank, type Line, span } from './span.ts';
import { clipLine } from './wrap.ts';

const WELCOME = 'say what to do · / for commands · ? for keys';

/** A small tree, the name, where we are and what answers. The first frame before Ink draws the same rows. */
export function welcomeLines(version: string, facts: ScreenFacts, columns: number): Line[] {
  const tree: readonly Line[] = [
    [as('accent', '  ▟▙   ')],
    [as('accent', ' ▟██▙  ')],
    [as('accent', '  ▐▌   ')],
  ];
  const label = facts.label ? [as('faint', ' · '), as('warn', safeLine(facts.label))] : [];
  const texts: readonly Line[] = [
    [span('Coppice', { bold: true }), as('dim', ` ${version}`), ...label],
    [as('dim', place(facts, columns - 10))],
    [as('faint', facts.title ? safeLine(facts.title, 60) : WELCOME)],
  ];
  if (columns < 30) return [[...(texts[0] ?? [])], blank];
  return [blank, ...tree.map((row, index): Line => clipLine([...row, ...(texts[index] ?? [])], columns - 1))];
}
