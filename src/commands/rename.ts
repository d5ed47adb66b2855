import type { SlashCommand } from '../contract/command.ts';
import { refused, text } from './answer.ts';

/** `/rename TITLE`: the name of this conversation. */
export const renameCommand: SlashCommand = {
  name: 'rename',
  description: 'Name this conversation',
  argumentHint: '<title>',
  source: 'builtin',
  instant: true,
  async run(args, { session, screen }) {
    const title =
      args.trim() || (await screen.input({ title: 'Title', initial: session.state().title }))?.trim();
    if (!title) return refused('Type a title after /rename.');
    await session.record({ type: 'title', title, byPerson: true });
    return text(`This conversation is now called "${title}".`);
  },
};
