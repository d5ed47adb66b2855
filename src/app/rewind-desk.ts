/** What /rewind and /diff need: the file history of the conversation now open, and its prompts. */
import type { RewindDesk } from '../commands/rewind.ts';
import { lastBranch } from '../contract/branch.ts';
import { textOf } from '../contract/message.ts';

export const rewindDesk = (history: RewindDesk['history']): RewindDesk => ({
  history,
  async points({ session }) {
    return lastBranch(await session.entries()).flatMap((entry) =>
      entry.type === 'user' && entry.origin.kind === 'person'
        ? [
            {
              uuid: entry.uuid,
              at: Date.parse(entry.timestamp),
              text: entry.display ?? textOf(entry.content),
            },
          ]
        : [],
    );
  },
});
