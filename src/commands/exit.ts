import type { SlashCommand } from '../contract/command.ts';

/** `/exit`: leave; the conversation can be resumed. */
export const exitCommand: SlashCommand = {
  name: 'exit',
  aliases: ['quit'],
  description: 'Leave',
  source: 'builtin',
  instant: true,
  run: async () => ({ kind: 'exit' }),
};
