import { safeText } from '../../lib/safe-text.ts';
import { type Branch, treeOf } from './agent-tree.ts';
import { type TreePainter, treePainter } from './agent-tree-painter.ts';
import { type AskUi, freshAsk } from './ask-choices.ts';
import { type AskPainter, askLines, askPainter, type Drawn } from './ask-lines.ts';
import { dialogLines } from './dialog-lines.ts';
import { footerLines, type Hint } from './footer-lines.ts';
import { helpLines } from './help-lines.ts';
import { liveLines, queueLines, spinnerLines } from './live-lines.ts';
import { pageLines } from './page.ts';
import { menuLines, promptLines } from './prompt-lines.ts';
import type { ScreenState } from './screen-state.ts';
import { as, blank, type Line, span } from './span.ts';
import { taskLines } from './task-lines.ts';
import { ansi } from './theme.ts';
import type { Look } from './tool-lines.ts';
import { vimModeName } from './vim/vim-state.ts';

/** The live part of the screen as the terminal reads it. */
export interface Frame {
  readonly rows: readonly string[];
  readonly caret?: { readonly x: number; readonly y: number };
}

export const lookOf = (state: ScreenState, full = false): Look => ({
  width: state.columns,
  links: state.theme.links,
  cwd: state.cwd,
  ...(state.highlight ? { highlight: state.highlight } : {}),
  ...(full ? { full } : {}),
});

/** Draws frames; what did not change since the last one is not painted again, so a key costs only its prompt. */
export function framer(): (state: ScreenState) => Frame {
  const paintAsk = askPainter();
  const paintTree = treePainter();
  let before: { state: ScreenState; lines: Line[] } | undefined;
  return (state) => {
    if (state.page) return drawn(state, { lines: pageLines(state.page, state.columns, state.rows) });
    const same =
      before &&
      before.state.view === state.view &&
      before.state.now === state.now &&
      before.state.tick === state.tick &&
      before.state.columns === state.columns &&
      before.state.highlight === state.highlight &&
      before.state.shell === state.shell &&
      before.state.row === state.row &&
      before.state.waiting === state.waiting &&
      before.state.tasks === state.tasks &&
      before.state.tasksShown === state.tasksShown;
    const above = before && same ? before.lines : aboveOr(state, before?.lines ?? []);
    before = { state, lines: above };
    const most = Math.max(4, state.rows - 1);
    const below = belowOr(state, most, paintAsk, paintTree);
    const kept = below.lines.slice(0, most);
    const room = most - kept.length;
    const top = room <= 0 ? [] : above.slice(-room);
    return drawn(state, {
      lines: [...top, ...kept],
      ...(below.caret ? { caret: { row: below.caret.row + top.length, column: below.caret.column } } : {}),
    });
  };
}

const drawn = (state: ScreenState, part: Drawn): Frame => ({
  // An empty Text has no height in Ink; a blank holds the row.
  rows: part.lines.map((line) => ansi(line, state.theme) || ' '),
  ...(part.caret ? { caret: { x: Math.min(part.caret.column, state.columns - 1), y: part.caret.row } } : {}),
});

/** An answer that is half there may be anything; what cannot be painted leaves the rows as they were. */
function aboveOr(state: ScreenState, otherwise: Line[]): Line[] {
  try {
    return aboveLines(state);
  } catch {
    // It is painted again, whole, when it is finished (`itemLines`).
    return otherwise;
  }
}

/** What cannot be painted is said in its place: the keys stay with whoever waits for them. */
function belowOr(state: ScreenState, most: number, paintAsk: AskPainter, paintTree: TreePainter): Drawn {
  try {
    return belowLines(state, most, paintAsk, paintTree);
  } catch (error) {
    return spaced({
      lines: [[as('error', `  This could not be drawn: ${safeText(String(error).split('\n')[0] ?? '')}`)]],
    });
  }
}

function aboveLines(state: ScreenState): Line[] {
  const look = lookOf(state);
  const active = state.tasks.tasks.find(({ status, mine }) => mine && status === 'in_progress')?.activeForm;
  return [
    ...liveLines(state.view, look, state.now, state.row),
    ...(state.shell
      ? [
          blank,
          [as('shell', '! '), span(state.shell.command, { bold: true })] as Line,
          ...state.shell.output
            .trimEnd()
            .split('\n')
            .slice(-6)
            .map((row): Line => [span('  '), as('dim', row)]),
        ]
      : []),
    ...spinnerLines(state.view, look, state.now, state.tick, active),
    ...queueLines(withCommands(state), look),
    ...(state.tasksShown
      ? taskLines(state.tasks, look, state.now, Math.max(3, Math.min(10, state.rows - 16)))
      : []),
  ];
}

/** So many rows the tree of agents may take. */
const agentRows = ({ rows }: ScreenState): number => Math.max(3, Math.min(12, Math.floor(rows / 3)));

/** Commands that wait for the turn's end stand in the queue too. */
const withCommands = (state: ScreenState) =>
  state.waiting.length === 0
    ? state.view
    : {
        ...state.view,
        queue: [...state.view.queue, ...state.waiting.map((text, index) => ({ place: -1 - index, text }))],
      };

function belowLines(state: ScreenState, most: number, paintAsk: AskPainter, paintTree: TreePainter): Drawn {
  const look = lookOf(state);
  if (state.dialog) return spaced(dialogLines(state.dialog, look, most - 1));
  const [open] = state.view.asks;
  if (open) {
    const ask = askLines(state.view.asks, askUiOf(state), look, most - 2, paintAsk);
    const room = Math.min(agentRows(state), most - 1 - ask.lines.length);
    return spaced({ ...ask, lines: [...ask.lines, ...paintTree(state, room)] });
  }
  const { prompt } = state;
  const search = prompt.search ? searchOf(state) : undefined;
  const box = promptLines(
    prompt,
    state.facts.mode,
    state.columns,
    Math.max(1, Math.min(most - 6, Math.max(5, Math.floor(most / 2)))),
    state.view.busy ? '' : 'What shall we do?',
    search?.found,
    state.facts.colour,
  );
  const under = search
    ? [search.line]
    : state.help
      ? helpLines(state.columns)
      : prompt.menu
        ? menuLines(prompt.menu, state.columns, Math.max(3, Math.min(8, most - box.lines.length - 4)))
        : footerLines(
            state.facts,
            state.columns,
            hintOf(state),
            prompt.vim && state.facts.vimModeShown !== false ? vimModeName[prompt.vim.mode] : undefined,
          );
  const busy = search !== undefined || state.help || prompt.menu !== undefined;
  const room = Math.min(agentRows(state), most - 1 - box.lines.length - under.length);
  const tree = busy ? [] : paintTree(state, room);
  return spaced({ lines: [...box.lines, ...tree, ...under], ...(box.caret ? { caret: box.caret } : {}) });
}

const spaced = (part: Drawn): Drawn => ({
  lines: [blank, ...part.lines],
  ...(part.caret ? { caret: { row: part.caret.row + 1, column: part.caret.column } } : {}),
});

const askUiOf = (state: ScreenState): AskUi => {
  const [open] = state.view.asks;
  return (open && state.asks[open.id]) ?? freshAsk;
};

function hintOf(state: ScreenState): Hint {
  if (state.hint !== undefined) return { text: state.hint, told: true };
  const agents = treeOf(state);
  if (state.agentFocus && agents.length > 0)
    return { text: '↑↓ choose · enter open · x stop · esc back', told: true };
  return { text: restHint(state, agents), told: false };
}

function restHint(state: ScreenState, agents: readonly Branch[]): string {
  if (state.prompt.shell) return 'runs in your shell · esc leaves';
  if (state.prompt.buffer.text !== '') return '';
  const down = agents.length === 0 ? '' : agents[0]?.member ? '↓ team · ' : '↓ agents · ';
  return `${down}${state.view.busy ? 'enter queues a message' : '? for keys'}`;
}

/** Newest entry that holds the query, and the row that says so. */
export function searchOf(state: ScreenState): { readonly line: Line; readonly found?: string } {
  const search = state.prompt.search;
  if (!search) return { line: [] };
  const found = state.history?.filter((text) => text.toLowerCase().includes(search.query.toLowerCase()))[
    search.skip
  ];
  const state_ =
    search.query !== '' && found === undefined
      ? as('warn', '  nothing found')
      : as('faint', '  ctrl+r older · enter send · tab edit · esc back');
  return {
    line: [as('accent', '  search history: '), span(search.query), as('faint', '▏'), state_],
    ...(found === undefined || search.query === '' ? {} : { found }),
  };
}
