/** The person's own status line (conventions 15): asked again after what it shows has changed, never twice at once. */
import type { SessionEvent } from '../contract/event.ts';
import { allUse } from '../contract/message.ts';
import type { SessionState } from '../contract/state.ts';
import { displayName } from '../model/display-name.ts';
import { askProgram } from '../shell/ask-program.ts';
import { branchOf, remoteOf } from './git-facts.ts';
import type { Models } from './models.ts';
import type { Root } from './root.ts';
import { VERSION } from './version.ts';
import type { Voice } from './voice.ts';
import { type WorkTally, workTally } from './work-tally.ts';
import type { World } from './world.ts';

export interface StatusLineRunner {
  /** What it printed last, or why it printed nothing. */
  text(): string | undefined;
  stop(): void;
}

const DEBOUNCE_MS = 300;
const TIME_LIMIT_MS = 5_000;

/** What the front-end knows: the terminal's columns and rows, and the mode of vim where a person types so. */
export interface StatusLineFront {
  size(): { readonly columns: number; readonly rows: number };
  readonly vim?: { mode(): string | undefined; follow(reader: () => void): () => void };
  /** Told when the command fails in another way than before. */
  trouble(text: string): void;
}

export interface StatusLineDeps {
  readonly world: World;
  readonly models: Models;
  readonly voice: Voice;
}

/** The document on its standard input. */
const statusLineInput = (
  { models, voice }: StatusLineDeps,
  root: Root,
  tally: WorkTally,
  startedAt: number,
  vim: string | undefined,
): Readonly<Record<string, unknown>> => {
  const state: SessionState = root.session.state();
  const facts = models.facts(state.model);
  const usage = state.usage;
  const last = state.messages.findLast((message) => message.role === 'assistant')?.usage;
  // What the model wrote is no part of it: the scripts of people count what went in.
  const held = last
    ? last.input_tokens + last.cache_creation_input_tokens + last.cache_read_input_tokens
    : state.contextTokens;
  const used = Math.min(100, Math.round((100 * held) / facts.window));
  const { promptId, transcriptPath } = root.conversation.scope();
  const repo = remoteOf(state.cwd);
  const lines = tally.lines();
  return {
    hook_event_name: 'Status',
    cwd: state.cwd,
    session_id: state.id,
    ...(state.title ? { session_name: state.title } : {}),
    ...(promptId === undefined ? {} : { prompt_id: promptId }),
    transcript_path: transcriptPath,
    version: VERSION,
    model: { id: state.model, display_name: displayName(state.model) },
    workspace: {
      current_dir: state.cwd,
      project_dir: state.project,
      added_dirs: state.directories,
      ...(state.worktree ? { git_worktree: state.worktree.name } : {}),
      ...(repo ? { repo } : {}),
    },
    output_style: { name: voice.name },
    cost: {
      total_cost_usd: models.cost(allUse(state)) ?? 0,
      total_duration_ms: Date.now() - startedAt,
      total_api_duration_ms: tally.apiMs(),
      total_lines_added: lines.added,
      total_lines_removed: lines.removed,
    },
    context_window: {
      total_input_tokens: usage.input_tokens,
      total_output_tokens: usage.output_tokens,
      context_window_size: facts.window,
      used_percentage: used,
      remaining_percentage: 100 - used,
      current_usage: last ?? null,
    },
    exceeds_200k_tokens: state.contextTokens > 200_000,
    fast_mode: false,
    ...(state.effort ? { effort: { level: state.effort } } : {}),
    thinking: { enabled: state.thinkingTokens > 0 },
    ...(vim === undefined ? {} : { vim: { mode: vim } }),
    ...(state.agent.type === 'main' ? {} : { agent: { name: state.agent.name ?? state.agent.type } }),
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

export const runStatusLine = (
  deps: StatusLineDeps,
  root: Root,
  front: StatusLineFront,
  changed: () => void,
): StatusLineRunner | undefined => {
  const line = deps.world.loaded().settings.statusLine;
  if (!line) return undefined;
  const startedAt = Date.now();
  const tally = workTally(root.session);
  let text: string | undefined;
  let told: string | undefined;
  let running: AbortController | undefined;
  let timer: NodeJS.Timeout | undefined;
  const ask = async (): Promise<void> => {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    const { columns, rows } = front.size();
    const answer = await askProgram({
      command: line.command,
      cwd: root.session.state().cwd,
      env: { ...deps.world.childEnv(), COLUMNS: String(columns), LINES: String(rows) },
      input: JSON.stringify(statusLineInput(deps, root, tally, startedAt, front.vim?.mode())),
      timeoutMs: TIME_LIMIT_MS,
      signal: mine.signal,
    });
    if (mine.signal.aborted) return;
    text = 'output' in answer ? answer.output : undefined;
    const failed = 'failed' in answer ? answer.failed : undefined;
    if (failed !== undefined && failed !== told) front.trouble(`The status line: ${failed}`);
    told = failed;
    changed();
  };
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void ask(), DEBOUNCE_MS);
  };
  const stopListening = root.session.listen((event) => {
    if (event.session === root.session.id && matters(event)) soon();
  });
  const stopFollowing = front.vim?.follow(soon);
  const every = line.refreshInterval ? setInterval(soon, line.refreshInterval * 1000) : undefined;
  void ask();
  return {
    text: () => text,
    stop() {
      stopListening();
      stopFollowing?.();
      tally.stop();
      clearTimeout(timer);
      clearInterval(every);
      running?.abort();
    },
  };
};
