import { type HookEvent, type HookVerdict, noVerdict } from '../contract/hook.ts';
import { canBlock } from './events.ts';

/**
 * How many verdicts become one. `join` is associative and `noVerdict` is its neutral element, so the order in which
 * hooks end does not matter, only the order in which they are configured:
 *
 * - decision: deny over ask over allow over none. The reasons of the winning rank are kept, one a line, and no others.
 * - blocked, stop, uncertain: present when any is; the texts stand one a line.
 * - context, systemMessages, permissionUpdates, watchPaths, terminalSequences: one list after the other; nothing is lost.
 * - updatedInput: shallow-merged, the later hook wins a key.
 * - updatedOutput, sessionTitle, initialUserMessage: the later hook wins. worktreePath: the earlier one.
 * - interrupt, retry, suppressPrompt, reloadSkills: true when any is.
 *
 * `settle` comes once, after the fold: what a stronger word makes void is taken out.
 */
export const fold = (verdicts: readonly HookVerdict[]): HookVerdict => verdicts.reduce(join, noVerdict);

const rank = { allow: 1, ask: 2, deny: 3 } as const;
const rankOf = (verdict: HookVerdict): number => (verdict.decision ? rank[verdict.decision] : 0);

const lines = (a: string | undefined, b: string | undefined, between = '\n'): string | undefined =>
  a === undefined ? b : b === undefined ? a : `${a}${between}${b}`;

const lists = <Item>(
  a: readonly Item[] | undefined,
  b: readonly Item[] | undefined,
): readonly Item[] | undefined => (a && b ? [...a, ...b] : (a ?? b));

const either = (a: boolean | undefined, b: boolean | undefined): boolean | undefined =>
  a || b ? true : undefined;

/** Only the fields that say something, so that equal verdicts are equal objects. */
const present = (verdict: HookVerdict): HookVerdict => ({
  ...Object.fromEntries(Object.entries(verdict).filter(([, value]) => value !== undefined)),
  context: verdict.context,
  systemMessages: verdict.systemMessages,
});

export const join = (a: HookVerdict, b: HookVerdict): HookVerdict => {
  const [ra, rb] = [rankOf(a), rankOf(b)];
  return present({
    blocked: lines(a.blocked, b.blocked),
    blockedBy: lines(a.blockedBy, b.blockedBy, ', '),
    decision: ra >= rb ? a.decision : b.decision,
    reason: ra === rb ? lines(a.reason, b.reason) : ra > rb ? a.reason : b.reason,
    updatedInput:
      a.updatedInput && b.updatedInput
        ? { ...a.updatedInput, ...b.updatedInput }
        : (a.updatedInput ?? b.updatedInput),
    context: [...a.context, ...b.context],
    systemMessages: [...a.systemMessages, ...b.systemMessages],
    stop: lines(a.stop, b.stop),
    updatedOutput: b.updatedOutput ?? a.updatedOutput,
    uncertain: lines(a.uncertain, b.uncertain),
    permissionUpdates: lists(a.permissionUpdates, b.permissionUpdates),
    interrupt: either(a.interrupt, b.interrupt),
    retry: either(a.retry, b.retry),
    watchPaths: lists(a.watchPaths, b.watchPaths),
    initialUserMessage: b.initialUserMessage ?? a.initialUserMessage,
    sessionTitle: b.sessionTitle ?? a.sessionTitle,
    worktreePath: a.worktreePath ?? b.worktreePath,
    suppressPrompt: either(a.suppressPrompt, b.suppressPrompt),
    reloadSkills: either(a.reloadSkills, b.reloadSkills),
    terminalSequences: lists(a.terminalSequences, b.terminalSequences),
  });
};

/**
 * `continue: false` beats a block that would keep an agent going. A denied call has no input to update. A hook that
 * could not answer leaves no allow standing: the call asks (ruling 21).
 */
export const settle = (event: HookEvent, folded: HookVerdict): HookVerdict => {
  const ending = event === 'Stop' || event === 'SubagentStop';
  const stopped =
    ending && folded.stop !== undefined ? { blocked: undefined, blockedBy: undefined, context: [] } : {};
  const denied = folded.decision === 'deny' ? { updatedInput: undefined, uncertain: undefined } : {};
  const unsure =
    folded.uncertain !== undefined && folded.decision === 'allow'
      ? { decision: undefined, reason: undefined }
      : {};
  return present({ ...folded, ...stopped, ...unsure, ...denied });
};

/** What a no means to an event: a denial, a block, or, where nothing can be stopped, words for the person. */
export const refusal = (
  event: HookEvent,
  payload: Readonly<Record<string, unknown>>,
  reason: string,
  by: string,
): HookVerdict => {
  if (!canBlock(event, payload)) return { ...noVerdict, systemMessages: [`${by}: ${reason}`] };
  const blocked = { ...noVerdict, blocked: reason, blockedBy: by };
  return event === 'PreToolUse' ? { ...blocked, decision: 'deny', reason } : blocked;
};

/** True when this one hook's word refused something. */
export const refuses = (verdict: HookVerdict): boolean =>
  verdict.blocked !== undefined || verdict.decision === 'deny';
