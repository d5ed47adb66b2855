/** How a root conversation is to begin or go on. */
import type { AgentDefinition } from '../contract/agent.ts';
import type { Answer, Question } from '../contract/ask.ts';
import type { SessionId } from '../contract/ids.ts';
import type { Mode } from '../contract/mode.ts';
import type { SessionState } from '../contract/state.ts';
import type { SessionSummary } from '../contract/store.ts';
import type { EntryBody } from '../contract/transcript.ts';
import type { LoopDeps, Opening } from '../loop/deps.ts';
import type { Limits } from '../loop/purse.ts';
import type { ModelHabits } from './model-habits.ts';
import type { Models } from './models.ts';
import type { RootMember } from './root-member.ts';
import type { World } from './world.ts';

export interface RootWish {
  readonly id?: SessionId;
  readonly source: 'startup' | 'resume' | 'clear' | 'fork';
  /** The conversation to go on with (resume) or to copy (fork). */
  readonly from?: Pick<SessionSummary, 'id' | 'path' | 'project'>;
  readonly title?: string;
  readonly mode: Mode;
  readonly model: string;
  /** What of the two the person named for this run; the rest goes on as the conversation had it. */
  readonly named?: { readonly mode: boolean; readonly model: boolean };
  readonly headless: boolean;
  readonly limits: Limits;
  /** Answers where nobody is there; absent for a screen. */
  readonly standIn?: (question: Question) => Answer | undefined;
  readonly definition?: AgentDefinition;
  /** It is a teammate in a process of its own. */
  readonly member?: RootMember;
  /** Nobody talks in it: no SessionStart, no SessionEnd. A ground for verifiers when hooks are tried out. */
  readonly silent?: boolean;
  /** Hears which paths hooks asked to watch; absent where nobody watches. */
  readonly follow?: LoopDeps['follow'];
  /** Runs before SessionStart (Setup). */
  readonly prelude?: Opening['prelude'];
}

/**
 * Mode and model of a conversation that goes on (conventions 11): as it had them, unless this run names others. Plan
 * mode and bypassPermissions end with their run; a model nobody knows any more, or without the price that a limit in
 * money needs, gives way to the usual one.
 */
export const asBefore = (
  models: Models,
  wish: RootWish,
  before: SessionState | undefined,
): Pick<RootWish, 'mode' | 'model'> => {
  const { mode, model, named, limits, member } = wish;
  if (!before || member) return { mode, model };
  const lasts = before.mode !== 'plan' && before.mode !== 'bypassPermissions';
  const answers =
    !models.practice &&
    models.known(before.model) &&
    (limits.maxCostUsd === undefined || models.facts(before.model).price !== undefined);
  return {
    mode: lasts && !named?.mode ? before.mode : mode,
    model: answers && !named?.model ? before.model : model,
  };
};

/** The first entry. `before`: what the transcript said, where its folder is still there. */
export const openingEntry = (
  world: World,
  habits: ModelHabits,
  wish: RootWish,
  id: SessionId,
  before: SessionState | undefined,
): Extract<EntryBody, { type: 'opened' }> => {
  const { definition, member } = wish;
  const effort = world.flags.effort ?? definition?.effort ?? habits.effort;
  const place = before ?? member;
  const team = member?.team ?? before?.team;
  return {
    type: 'opened',
    source: wish.source,
    agent: definition
      ? {
          type: definition.name,
          name: member?.name ?? 'main',
          ...(definition.color ? { color: definition.color } : {}),
        }
      : { type: 'main' },
    root: id,
    ...(member ? { parent: member.lead, depth: 1, label: member.name } : {}),
    cwd: place?.cwd ?? world.cwd,
    project: world.project,
    checkout: place?.checkout ?? world.project,
    model: wish.model,
    mode: wish.mode,
    ...(effort ? { effort } : {}),
    thinkingTokens: habits.thinkingFor(wish.model),
    directories: [...(world.flags.addDir ?? [])],
    taskList: member?.taskList ?? before?.taskList ?? world.host.env.CLAUDE_CODE_TASK_LIST_ID ?? id,
    ...(team ? { team } : {}),
    ...(member && !before ? { mailFrom: member.mailFrom } : {}),
    ...(wish.title ? { title: wish.title } : {}),
    headless: wish.headless,
  };
};
