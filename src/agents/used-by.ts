import type { Usage } from '../contract/message.ts';
import type { Entry } from '../contract/transcript.ts';

/** What an entry says that its own session used up, and of which model. */
export const usedBy = (entry: Entry): { readonly model: string; readonly usage: Usage } | undefined => {
  if (entry.type === 'assistant' && !entry.partial) return only(entry.message);
  if (entry.type === 'spent' && entry.child === undefined) return only(entry);
  return entry.type === 'compacted' && entry.usage && entry.model !== undefined
    ? { model: entry.model, usage: entry.usage }
    : undefined;
};

const only = ({ model, usage }: { readonly model: string; readonly usage: Usage }) => ({ model, usage });
