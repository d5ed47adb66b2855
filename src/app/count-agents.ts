/** What agents use up stands in the transcript of their root too, so that its cost and budgets count it after a resume. */
import type { SessionEvent } from '../contract/event.ts';
import type { SessionId } from '../contract/ids.ts';
import { allUse, type Usage, usedTokens } from '../contract/message.ts';
import type { SessionState } from '../contract/state.ts';
import type { Entry, EntryBody } from '../contract/transcript.ts';
import type { LoopDeps } from '../loop/deps.ts';

/** Reads the events of a tree of sessions; answers the way to stop. */
export const countAgents = (
  listen: (reader: (event: SessionEvent) => void) => () => void,
  root: SessionId,
  record: (body: Extract<EntryBody, { type: 'spent' }>) => Promise<void>,
): (() => void) =>
  listen((event) => {
    if (event.type !== 'entry' || event.session === root) return;
    const used = usedBy(event.entry);
    if (used) void record({ type: 'spent', about: event.agent, child: event.session, ...used });
  });

const usedBy = (entry: Entry): { readonly model: string; readonly usage: Usage } | undefined => {
  if (entry.type === 'assistant' && !entry.partial) return only(entry.message);
  if (entry.type === 'spent' && entry.child === undefined) return only(entry);
  return entry.type === 'compacted' && entry.usage && entry.model !== undefined
    ? { model: entry.model, usage: entry.usage }
    : undefined;
};

const only = ({ model, usage }: { readonly model: string; readonly usage: Usage }) => ({ model, usage });

/** What a resumed conversation and its agents have used up of what they share. */
export const spentWithAgents = (state: SessionState, cost: LoopDeps['cost']) => {
  const all = allUse(state);
  return { tokens: Object.values(all).reduce((sum, usage) => sum + usedTokens(usage), 0), usd: cost(all) };
};
