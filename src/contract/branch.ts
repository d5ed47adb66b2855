import type { Entry } from './transcript.ts';

/** Where a rewind cuts; -1 when what it names is not there. */
export const cutAt = (entries: readonly Entry[], to: string | null): number =>
  to === null ? entries.findIndex((one) => one.type === 'user') : entries.findIndex((one) => one.uuid === to);

/** The entries of the branch that ends at the last one: rewinding leaves earlier branches in the file but out of the conversation. */
export const lastBranch = (entries: readonly Entry[]): readonly Entry[] => {
  let kept: Entry[] = [];
  for (const entry of entries) {
    if (entry.type === 'rewound') {
      const at = cutAt(kept, entry.to);
      if (at >= 0) kept = kept.slice(0, at);
    }
    kept.push(entry);
  }
  return kept;
};
