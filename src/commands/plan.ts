import type { SlashCommand } from '../contract/command.ts';
import { text } from './answer.ts';

/** `/plan [task]`: plan mode on; with a task, begin planning it. */
export const planCommand: SlashCommand = {
  name: 'plan',
  description: 'Plan first: nothing is changed until you approve',
  argumentHint: '[task]',
  source: 'builtin',
  async run(args, { session }) {
    await session.setMode('plan');
    const task = args.trim();
    return task
      ? { kind: 'prompt', text: task }
      : text('Plan mode is on. Nothing is changed until you approve a plan.');
  },
};
