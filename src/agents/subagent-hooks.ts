/** What a sub-agent tells hooks of its run: once at its beginning, once at each end (ruling 17). */
import type { HookScope, Hooks, HookVerdict } from '../contract/hook.ts';
import type { SessionId } from '../contract/ids.ts';
import { reminder } from '../lib/reminder.ts';
import type { Ending } from '../loop/deps.ts';

interface Told {
  readonly hooks: Hooks;
  /** What runs in the background as hooks are told it, this agent itself left out. */
  backgroundTasks?(without: SessionId): readonly Readonly<Record<string, unknown>>[];
}

interface Who {
  readonly id: SessionId;
  readonly type: string;
}

/** What the hooks at its start want it to know. */
export const begun = async (
  { hooks }: Told,
  { id, type }: Who,
  scope: HookScope,
): Promise<readonly string[]> =>
  (await hooks.dispatch('SubagentStart', { agent_id: id, agent_type: type }, scope)).context.map(
    (text) => `SubagentStart hook context: ${text}`,
  );

export const ended = (
  told: Told,
  { id, type }: Who,
  ending: Ending,
  scope: HookScope,
): Promise<HookVerdict> =>
  told.hooks.dispatch(
    'SubagentStop',
    {
      agent_id: id,
      agent_type: type,
      agent_transcript_path: scope.transcriptPath,
      stop_hook_active: ending.active,
      last_assistant_message: ending.text,
      background_tasks: told.backgroundTasks?.(id) ?? [],
      session_crons: [],
    },
    scope,
  );

/** Its first words with the facts that go along. */
export const firstWords = (words: string | undefined, facts: readonly string[]): string =>
  [words ?? '', ...facts.map((text) => reminder(text).text)].join('\n\n').trimStart();
