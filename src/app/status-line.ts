/** The person's own status line (conventions 15): asked again after what it shows has changed, never twice at once. */
import type { SessionEvent } from '../contract/event.ts';
import { allUse } from '../contract/message.ts';
import type { SessionState } from '../contract/state.ts';
import { askProgram } from '../shell/ask-program.ts';
import { branchOf } from './git-facts.ts';
import type { House } from './house.ts';
import type { Root } from './root.ts';
import { definedOnly } from './variables.ts';
import { VERSION } from './version.ts';

export interface StatusLineRunner {
  /** What it printed last, or why it printed nothing. */
  text(): string | undefined;
  stop(): void;
}

const DEBOUNCE_MS = 300;
const TIME_LIMIT_MS = 5_000;

/** The document on its standard input. */
const statusLineInput = (house: House, root: Root, startedAt: number): Readonly<Record<string, unknown>> => {
  const state: SessionState = root.session.state();
  const facts = house.models.facts(state.model);
  const usage = state.usage;
  const used = state.contextTokens === 0 ? 0 : (100 * state.contextTokens) / facts.window;
  return {
    hook_event_name: 'Status',
    cwd: state.cwd,
    session_id: state.id,
    ...(state.title ? { session_name: state.title } : {}),
    transcript_path: root.conversation.scope().transcriptPath,
    version: VERSION,
    model: { id: state.model, display_name: state.model },
    workspace: {
      current_dir: state.cwd,
      project_dir: state.project,
      added_dirs: state.directories,
      ...(state.worktree ? { git_worktree: state.worktree.name } : {}),
    },
    output_style: { name: house.voice.name },
    cost: {
      total_cost_usd: house.models.cost(allUse(state)) ?? 0,
      total_duration_ms: Date.now() - startedAt,
      total_api_duration_ms: 0,
      total_lines_added: 0,
      total_lines_removed: 0,
    },
    context_window: {
      total_input_tokens: usage.input_tokens,
      total_output_tokens: usage.output_tokens,
      context_window_size: facts.window,
      used_percentage: Math.round(used),
      remaining_percentage: Math.round(100 - used),
      current_usage: state.contextTokens === 0 ? null : usage,
    },
    exceeds_200k_tokens: state.contextTokens > 200_000,
    ...(state.effort ? { effort: { level: state.effort } } : {}),
    thinking: { enabled: state.thinkingTokens > 0 },
    ...(state.worktree
      ? {
          worktree: {
            name: state.worktree.name,
            path: state.worktree.path,
            branch: state.worktree.branch,
            original_cwd: state.worktree.originalCwd,
            original_branch: branchOf(state.project),
          },
        }
      : {}),
  };
};

const matters = (event: SessionEvent): boolean =>
  event.type === 'turn.finished' ||
  (event.type === 'entry' &&
    ['assistant', 'compacted', 'mode', 'model', 'cwd', 'title', 'worktree'].includes(event.entry.type));

/** `size` answers columns and rows of the terminal. */
export const runStatusLine = (
  house: House,
  root: Root,
  size: () => { readonly columns: number; readonly rows: number },
  changed: () => void,
): StatusLineRunner | undefined => {
  const line = house.world.loaded().settings.statusLine;
  if (!line) return undefined;
  const startedAt = Date.now();
  let text: string | undefined;
  let running: AbortController | undefined;
  let timer: NodeJS.Timeout | undefined;
  const ask = async (): Promise<void> => {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    const { columns, rows } = size();
    const answer = await askProgram({
      command: line.command,
      cwd: root.session.state().cwd,
      env: { ...definedOnly(house.world.env()), COLUMNS: String(columns), LINES: String(rows) },
      input: JSON.stringify(statusLineInput(house, root, startedAt)),
      timeoutMs: TIME_LIMIT_MS,
      signal: mine.signal,
    });
    if (mine.signal.aborted) return;
    text = 'output' in answer ? answer.output : undefined;
    changed();
  };
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void ask(), DEBOUNCE_MS);
  };
  const stopListening = root.session.listen((event) => {
    if (event.session === root.session.id && matters(event)) soon();
  });
  const every = line.refreshInterval ? setInterval(soon, line.refreshInterval * 1000) : undefined;
  void ask();
  return {
    text: () => text,
    stop() {
      stopListening();
      clearTimeout(timer);
      clearInterval(every);
      running?.abort();
    },
  };
};
