import type { SlashCommand } from '../contract/command.ts';
import { refused } from './answer.ts';

/** `/branch [name]`: goes on in a copy of this conversation; the one so far stays as it is and can be resumed. */
export const branchCommand: SlashCommand = {
  name: 'branch',
  description: 'Go on in a copy of this conversation',
  argumentHint: '[name]',
  source: 'builtin',
  async run(args, { session }) {
    if (session.state().messages.length === 0) return refused('There is nothing to branch off yet.');
    const name = args.trim();
    return { kind: 'switch', to: { how: 'fork', id: session.id, ...(name ? { name } : {}) } };
  },
};
