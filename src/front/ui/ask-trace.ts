import * as z from 'zod';
import type { AskReason } from '../../contract/ask.ts';
import type { Mode } from '../../contract/mode.ts';
import { safeText } from '../../lib/safe-text.ts';
import { as, type Line, span } from './span.ts';
import { type Look, shorter } from './tool-lines.ts';
import { wrapUnder } from './wrap.ts';

const meanings: Readonly<Record<Mode, string>> = {
  plan: 'nothing is changed',
  dontAsk: 'what no rule allows is refused',
  default: 'what no rule allows is asked',
  acceptEdits: 'edits in the working folders run unasked, what no rule allows is asked',
  bypassPermissions: 'only rules that ask, and what may do great harm, are asked about',
};

/** More rules than this are counted. */
const MOST = 8;

/** One judged part of a call; older questions carry less. */
const part = z.object({
  subject: z.string(),
  decision: z.enum(['allow', 'ask', 'deny']),
  reason: z.string(),
});

const verbs = { allow: 'allowed', ask: 'asked', deny: 'refused' } as const;

/** How a question came about: the mode, what would allow it, the rules looked at, and each part of a longer command. */
export function explained(why: AskReason, look: Look): Line[] {
  const row = (text: string, mark = '· '): Line[] =>
    wrapUnder([as('dim', safeText(text))], look.width, [as('dim', mark)], [span('  ')]);
  const parts = why.trace.flatMap((fact) => part.safeParse(fact).data ?? []);
  return [
    [as('dim', 'How this was decided:')],
    ...(why.among ? row(`Mode ${why.among.mode}: ${meanings[why.among.mode]}.`) : []),
    ...row(
      why.suggestions.length === 0
        ? 'No rule is offered that would allow just this: it is asked each time.'
        : `${why.suggestions.length === 1 ? 'This rule' : 'These rules'} would allow it: ${why.suggestions.join(', ')}`,
    ),
    ...(why.among ? rulesRows(why.among.rules, look, row) : []),
    ...(parts.length > 1
      ? parts.flatMap(({ subject, decision, reason }) => row(`${subject}: ${verbs[decision]}. ${reason}`))
      : []),
  ];
}

const rulesRows = (
  rules: NonNullable<AskReason['among']>['rules'],
  look: Look,
  row: (text: string, mark?: string) => Line[],
): Line[] =>
  rules.length === 0
    ? row('Rules looked at: none speaks of such calls.')
    : [
        ...row('Rules looked at:'),
        ...rules
          .slice(0, MOST)
          .flatMap(({ behavior, text, source }) =>
            row(
              `${behavior} ${text}, ${source.replace(/\((.*)\)$/, (_, file) => `(${shorter(file, look.cwd)})`)}`,
              '  ',
            ),
          ),
        ...(rules.length > MOST ? row(`and ${rules.length - MOST} more; /permissions shows all.`, '  ') : []),
      ];
