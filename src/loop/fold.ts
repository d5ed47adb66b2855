/** Folding a whole transcript, rewinds included. */
import { cutAt, lastBranch } from '../contract/branch.ts';
import type { SessionId } from '../contract/ids.ts';
import type { Message } from '../contract/message.ts';
import type { SessionState } from '../contract/state.ts';
import type { Entry } from '../contract/transcript.ts';
import { apply, type Before, type Push } from './state.ts';

/** The state just before an entry; undefined when it names none. */
export const foldBefore = (
  id: SessionId,
  entries: readonly Entry[],
  to: string | null,
): Before | undefined => {
  const branch = lastBranch(entries);
  const at = cutAt(branch, to);
  if (at < 0) return undefined;
  return { state: fold(id, branch.slice(0, at)), parent: branch[at - 1]?.uuid ?? null };
};

/** Folds a whole transcript. Undefined when it holds no opened entry. Damaged heads are skipped up to it. */
export const fold = (id: SessionId, entries: readonly Entry[]): SessionState | undefined => {
  let owned: Message[] = [];
  const push: Push = (messages, message) => {
    if (messages !== owned) owned = [...messages];
    owned.push(message);
    return owned;
  };
  let state: SessionState | undefined;
  for (const [index, entry] of entries.entries()) {
    if (!state && entry.type !== 'opened') continue;
    const back =
      state && entry.type === 'rewound' ? foldBefore(id, entries.slice(0, index), entry.to) : undefined;
    state = apply(state, id, entry, { push, back });
  }
  return state && { ...state, messages: [...state.messages] };
};
