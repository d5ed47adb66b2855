import type { SlashCommand } from '../contract/command.ts';
import { done, refused } from './answer.ts';

/** `/compact [focus]`: a summary takes the place of the conversation so far. */
export const compactCommand: SlashCommand = {
  name: 'compact',
  description: 'Replace the conversation by a summary of it',
  argumentHint: '[what to keep in mind]',
  source: 'builtin',
  async run(args, { session }) {
    if (session.state().messages.length < 2) return refused('There is nothing to compact yet.');
    await session.compact(args.trim() || undefined);
    return done;
  },
};
