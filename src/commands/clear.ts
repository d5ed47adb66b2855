import type { SlashCommand } from '../contract/command.ts';

/** `/clear [name]`: a new conversation; the old one stays on disk. */
export const clearCommand: SlashCommand = {
  name: 'clear',
  aliases: ['new', 'reset'],
  description: 'Begin a new conversation (this one can be resumed)',
  argumentHint: '[name]',
  source: 'builtin',
  async run(args, { session }) {
    const name = args.trim();
    if (name) await session.record({ type: 'title', title: name, byPerson: true });
    return { kind: 'switch', to: { how: 'clear' } };
  },
};
