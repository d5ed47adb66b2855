import type { Mode } from '../../contract/mode.ts';
import type { ScreenFacts } from '../../contract/screen.ts';
import { safeLine } from '../../lib/safe-text.ts';
import { ansiSpans } from './ansi-spans.ts';
import { modeRole } from './prompt-lines.ts';
import { as, type Line, span } from './span.ts';
import { clip, clipStart } from './width.ts';
import { clipLine, lineCells } from './wrap.ts';

const modeNames: Readonly<Record<Mode, string>> = {
  plan: 'plan mode',
  dontAsk: 'don’t ask',
  default: '',
  acceptEdits: 'accept edits',
  bypassPermissions: 'bypass permissions',
};

const LEAST_PLACE = 16;

/** What stands at the left of the footer. */
export interface Hint {
  readonly text: string;
  /** It answers a key: facts make room for it. */
  readonly told: boolean;
}

/** Left: mode and hints; right: model, context, cost, place. What does not fit leaves from the right end's beginning. */
export function footerLines(facts: ScreenFacts, columns: number, hint: Hint, vim?: string): Line[] {
  const mode = modeNames[facts.mode];
  const typing: Line = vim === undefined ? [span('  ')] : [span('  '), as('dim', vim), span('  ')];
  const named: Line =
    mode === '' ? [] : [as(modeRole(facts.mode), `${facts.mode === 'plan' ? '◇' : '▸'} ${mode}`)];
  const label: Line = mode === '' ? [] : [...named, as('faint', ' (shift+tab)')];
  const right = rightParts(facts);
  const said = as('faint', `${label.length > 0 ? '  ' : ''}${hint.text}`);
  const whole: Line = [...typing, ...label, said];
  // Beside a mode there is no room for everything: what a person knows by then goes first.
  const fits = lineCells(whole) + lineCells(joined(right)) + 3 <= columns;
  const left: Line = fits
    ? whole
    : hint.told
      ? [...typing, ...named, said]
      : label.length > 0
        ? [...typing, ...label]
        : whole;
  const room =
    columns - 3 - (hint.told ? lineCells(left) : Math.min(lineCells(left), Math.max(24, columns >> 1)));
  while (right.length > (hint.told ? 0 : 1) && lineCells(joined(right)) > room)
    right.splice(right.length - 1, 1);
  // Where we are takes what is left, as much of it as can still be read.
  const rest = Math.min(36, room - lineCells(joined(right)) - 3);
  if (columns >= 100 && rest >= LEAST_PLACE) right.push([as('faint', place(facts, rest))]);
  const end = joined(right);
  const begin = clipLine(left, Math.max(8, columns - lineCells(end) - 3));
  const gap = Math.max(1, columns - 1 - lineCells(begin) - lineCells(end));
  const own: Line[] = facts.statusLine
    ? facts.statusLine
        .split('\n')
        .slice(0, 3)
        .map((row) => clipLine([span('  '), ...ansiSpans(row.slice(0, 2000), { role: 'dim' })], columns - 1))
    : [];
  return [...own, [...begin, span(' '.repeat(gap)), ...end]];
}

/** In order of weight: what comes last is left out first. */
function rightParts(facts: ScreenFacts): Line[] {
  const parts: Line[] = [];
  // A label (practice model) says more than the name it stands for.
  parts.push(
    facts.label ? [as('warn', safeLine(facts.label))] : [as('dim', clip(safeLine(facts.model), 28))],
  );
  if (facts.contextShare !== undefined)
    parts.push([
      as(
        facts.contextShare > 0.85 ? 'error' : facts.contextShare > 0.7 ? 'warn' : 'dim',
        `${Math.round(facts.contextShare * 100)}% context`,
      ),
    ]);
  if (facts.cost) parts.push([as('dim', facts.cost)]);
  return parts;
}

/** `~/src/shop (main)`. */
export function place(facts: ScreenFacts, room: number): string {
  const branch = facts.branch ? ` (${clip(safeLine(facts.branch), 24)})` : '';
  const left = room - branch.length;
  return left < 10 ? clip(branch.trim(), room) : `${clipStart(safeLine(facts.directory), left)}${branch}`;
}

const joined = (parts: readonly Line[]): Line =>
  parts.flatMap((part, index) => (index === 0 ? [...part] : [as('faint', ' · '), ...part]));
