import type { OpenAsk, Question } from '../../contract/ask.ts';
import { safeLine, safeText, visibleText } from '../../lib/safe-text.ts';
import { type AskUi, type Choice, choicesOf, destinations, wantsWords } from './ask-choices.ts';
import { hints } from './ask-hints.ts';
import { explained } from './ask-trace.ts';
import { diffLines, patchRows } from './diff-lines.ts';
import { languageOf } from './highlight.ts';
import { toolLabel } from './item.ts';
import { divider } from './item-lines.ts';
import { codeRows, markdown } from './markdown.ts';
import { as, blank, type Line, plain, span } from './span.ts';
import { changeCounts, type Look, shorter } from './tool-lines.ts';
import { cells } from './width.ts';
import { hardWrap, splitLines, wrap } from './wrap.ts';

/** A part of the live region and, in it, where the caret stands. */
export interface Drawn {
  readonly lines: readonly Line[];
  readonly caret?: { readonly row: number; readonly column: number };
}

/** The question in front, within a number of rows: what it is about can be scrolled, the answers always show. */
export function askLines(
  asks: readonly OpenAsk[],
  ui: AskUi,
  look: Look,
  rows: number,
  paint: AskPainter = bodyLines,
): Drawn {
  const open = asks[0];
  if (!open) return { lines: [] };
  const inner = { ...look, width: look.width - 4 };
  const head = headLines(open, asks.length, ui, look);
  const foot = footLines(open, ui, look);
  const body = paint(open.question, ui, inner).map(
    (row): Line => (row.length > 0 ? [span('  '), ...row] : row),
  );
  const room = Math.max(3, rows - head.length - foot.lines.length - 2);
  const shown = windowed(body, ui.scroll, room);
  const top = [...head, ...shown, ...(shown.length > 0 ? [blank] : [])];
  return {
    lines: [...top, ...foot.lines],
    ...(foot.caret ? { caret: { row: top.length + foot.caret.row, column: foot.caret.column } } : {}),
  };
}

export type AskPainter = (question: Question, ui: AskUi, look: Look) => Line[];

/** Remembers the last body: a large diff is not painted again for every key. */
export function askPainter(): AskPainter {
  let last:
    | { readonly question: Question; readonly ui: AskUi; readonly look: Look; readonly lines: Line[] }
    | undefined;
  return (question, ui, look) => {
    const same =
      last?.question === question &&
      last.look.width === look.width &&
      last.look.highlight === look.highlight &&
      last.ui.trace === ui.trace &&
      last.ui.plan === ui.plan &&
      last.ui.step === ui.step &&
      (question.kind !== 'choice' || last.ui.index === ui.index);
    if (!last || !same) last = { question, ui, look, lines: bodyLines(question, ui, look) };
    return last.lines;
  };
}

function windowed(body: readonly Line[], scroll: number, room: number): readonly Line[] {
  if (body.length <= room) return body;
  const most = room - 1;
  const from = Math.max(0, Math.min(scroll, body.length - most));
  const below = body.length - most - from;
  const hint = `  ${from + 1}–${from + most} of ${body.length} lines · ${below > 0 ? `${below} more, pgdn` : 'pgup'}`;
  return [...body.slice(from, from + most), [as('warn', hint)]];
}

function headLines(open: OpenAsk, count: number, ui: AskUi, look: Look): Line[] {
  const who = open.agent === 'main' ? '' : ` · ${safeLine(open.agent, 60)}`;
  const waiting =
    count > 1 ? ` · ${count - 1} more ${count === 2 ? 'question waits' : 'questions wait'}` : '';
  const role =
    open.question.kind === 'permission' ? 'warn' : open.question.kind === 'plan' ? 'plan' : 'accent';
  return [divider(`${titleOf(open.question, ui)}${who}${waiting}`, look.width, { role, bold: true }), blank];
}

function titleOf(question: Question, ui: AskUi): string {
  switch (question.kind) {
    case 'permission':
      return `${toolLabel(question.tool)} asks for permission`;
    case 'plan':
      return ui.plan === undefined ? 'Plan ready for approval' : 'Plan ready for approval (edited)';
    case 'choice': {
      const now = question.questions[ui.step];
      const place = question.questions.length > 1 ? ` (${ui.step + 1} of ${question.questions.length})` : '';
      return `${safeLine(now?.header || 'Question', 60)}${place}`;
    }
    case 'confirm':
      return safeLine(question.title, 100);
  }
}

function bodyLines(question: Question, ui: AskUi, look: Look): Line[] {
  switch (question.kind) {
    case 'permission':
      return permissionBody(question, ui, look);
    case 'plan':
      return markdown(safeText(ui.plan ?? question.plan), look);
    case 'choice': {
      const now = question.questions[ui.step];
      const preview = now?.options[ui.index]?.preview;
      return [
        ...wrap([span(safeText(now?.question ?? ''), { bold: true })], look.width),
        ...(preview ? [blank, ...markdown(safeText(preview), look)] : []),
      ];
    }
    case 'confirm':
      return markdown(safeText(question.body), look);
  }
}

/** The whole of what would happen, escapes spelled out, then why it is asked. */
function permissionBody(question: Extract<Question, { kind: 'permission' }>, ui: AskUi, look: Look): Line[] {
  const what =
    question.display?.kind === 'diff'
      ? [
          [
            span(visibleText(shorter(question.display.path, look.cwd)), { bold: true }),
            span('  '),
            ...changeCounts(question.display),
          ],
          ...diffLines(
            patchRows(visibleText(question.display.patch.replace(/\t/g, '    '))),
            question.display.path,
            look.width,
            look.highlight,
          ),
        ]
      : question.display?.kind === 'code'
        ? [
            [span(visibleText(shorter(question.display.path, look.cwd)), { bold: true })],
            ...codeRows(
              visibleText(question.display.body.replace(/\t/g, '    ')),
              languageOf(question.display.path),
              look,
            ),
          ]
        : [...commandRows(question, look), ...textRows(question, look)];
  const why = wrap(
    [
      as(
        'dim',
        safeText(look.cwd ? question.why.reason.replaceAll(`${look.cwd}/`, '') : question.why.reason),
      ),
      ...(question.why.rule
        ? [
            as(
              'dim',
              ` Rule: ${safeText(question.why.rule)}${question.why.source ? ` (${safeText(question.why.source)})` : ''}`,
            ),
          ]
        : []),
    ],
    look.width,
  );
  return [
    ...what,
    ...(why.length > 0 && plain(why[0] ?? []) !== '' ? [blank, ...why] : []),
    ...(ui.trace ? [blank, ...explained(question.why, look)] : []),
  ];
}

function commandRows(question: Extract<Question, { kind: 'permission' }>, look: Look): Line[] {
  const described = question.input.description;
  const note: Line[] =
    typeof described === 'string' ? wrap([as('dim', safeLine(described, 200))], look.width) : [];
  const code = visibleText(
    question.subject === '' ? JSON.stringify(question.input, null, 2) : question.subject,
  );
  const rows = look.highlight && /^Bash/.test(question.tool) ? look.highlight(code, 'bash') : undefined;
  const lines = rows ?? splitLines([as('code', code)]);
  return [...lines.flatMap((line) => hardWrap(line, look.width)), ...note];
}

/** What a tool tells beside its subject: the work in a worktree that would go. */
function textRows({ display }: Extract<Question, { kind: 'permission' }>, look: Look): Line[] {
  if (display?.kind !== 'text' || !display.summary || display.body.trim() === '') return [];
  const lines = splitLines([as('code', visibleText(display.body.replace(/\t/g, '    ').trimEnd()))]);
  return [blank, ...lines.flatMap((line) => hardWrap(line, look.width))];
}

function footLines(open: OpenAsk, ui: AskUi, look: Look): Drawn {
  const choices = choicesOf(open, ui);
  const out: Line[] = [];
  let caret: Drawn['caret'];
  choices.forEach((choice, index) => {
    const here = index === ui.index;
    const rows = choiceRows(open, choice, index, here, ui, look);
    out.push(...rows);
    if (!(here && ui.typing) && !(wantsWords(choice) && ui.text !== '')) return;
    const wish = choice.value === 'own' ? 'type your answer' : 'type what to do instead';
    const typed = typedRows(ui.text, wish, look);
    out.push(...typed);
    const last = typed.at(-1) ?? [];
    if (here && ui.typing) caret = { row: out.length - 1, column: ui.text === '' ? 5 : cells(plain(last)) };
  });
  out.push(
    blank,
    ...wrap([as('faint', hints(open, ui))], look.width - 3).map((row): Line => [span('  '), ...row]),
  );
  return { lines: out, ...(caret ? { caret } : {}) };
}

function choiceRows(
  open: OpenAsk,
  choice: Choice,
  index: number,
  here: boolean,
  ui: AskUi,
  look: Look,
): Line[] {
  const mark = here ? as('select', '❯ ') : span('  ');
  const multi =
    open.question.kind === 'choice' &&
    open.question.questions[ui.step]?.multiSelect === true &&
    choice.value !== 'next';
  const ticked =
    choice.value === 'own' ? ui.text.trim() !== '' : (ui.chosen[ui.step] ?? []).includes(choice.label);
  const box = multi ? [as(ticked ? 'ok' : 'dim', ticked ? '[x] ' : '[ ] ')] : [];
  const head: Line = [
    mark,
    as('dim', `${index + 1}. `),
    ...box,
    span(safeText(choice.label), here ? { role: 'select', bold: true } : {}),
  ];
  if (choice.value === 'always') {
    const where = destinations.find((one) => one.value === ui.destination)?.label ?? '';
    const rule: Line = [
      ...head,
      span(' '),
      as('code', visibleText(choice.detail ?? '')),
      as('dim', ` ${where}`),
      ...(here ? [as('faint', '  ←/→')] : []),
    ];
    return wrap(rule, look.width - 6).map((row, at): Line => (at === 0 ? row : [span('     '), ...row]));
  }
  if (choice.value === 'mode') return [[...head, as('faint', '  shift+tab')]];
  const detail =
    choice.detail === undefined
      ? []
      : wrap([as('dim', safeText(choice.detail))], look.width - (multi ? 10 : 6)).map(
          (row): Line => [span(multi ? '         ' : '     '), ...row],
        );
  return [head, ...detail];
}

function typedRows(text: string, hint: string, look: Look): Line[] {
  if (text === '') return [[span('     '), as('faint', hint)]];
  return splitLines([span(text)])
    .flatMap((row) => hardWrap(row, look.width - 8))
    .map((row): Line => [span('     '), ...row]);
}
