/** Earlier conversations, for `/resume` and `--resume`. */
import type { Conversations } from '../commands/resume.ts';
import { textOf } from '../contract/message.ts';
import type { World } from './world.ts';

export const conversationsOf = (world: World): Conversations => {
  const { transcripts } = world.stores;
  return {
    list: (everywhere) => transcripts.list(everywhere ? undefined : world.project),
    find: async (name) => (await transcripts.find(name, world.project)) ?? (await transcripts.find(name)),
    async preview(summary) {
      const { entries } = await transcripts.load(summary.path);
      const said = entries.flatMap((entry) => {
        if (entry.type === 'user' && entry.origin.kind === 'person')
          return [`**You:** ${entry.display ?? textOf(entry.content)}`];
        if (entry.type === 'assistant') {
          const text = textOf(entry.message.content).trim();
          return text === '' ? [] : [text];
        }
        return [];
      });
      return said.slice(-6).join('\n\n');
    },
    async remove(summary) {
      const kept = await transcripts.remove(summary.id, summary.project);
      if (!kept) return undefined;
      return 'refused' in kept ? kept.refused : kept.failed;
    },
    now: () => new Date(),
  };
};
