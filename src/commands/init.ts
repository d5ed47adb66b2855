import type { SlashCommand } from '../contract/command.ts';
import prompt from './init.md';

/** `/init`: the model writes an AGENTS.md from what it finds. */
export const initCommand: SlashCommand = {
  name: 'init',
  description: 'Write an AGENTS.md for this repository',
  source: 'builtin',
  run: async (args) => ({
    kind: 'prompt',
    text: args.trim() ? `${prompt}\n\nThe user adds: ${args.trim()}` : prompt,
    display: `/init ${args}`.trim(),
  }),
};
