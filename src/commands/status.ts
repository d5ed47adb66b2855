import type { CommandPlace, SlashCommand } from '../contract/command.ts';
import { table, text } from './answer.ts';

/** `/status`: facts of this conversation and program, as `[name, value]` rows. */
export const statusCommand = (
  facts: (place: CommandPlace) => Promise<readonly (readonly [string, string])[]>,
): SlashCommand => ({
  name: 'status',
  description: 'Version, model, session, settings files, disk use',
  source: 'builtin',
  instant: true,
  run: async (_args, place) => text(table(['', ''], await facts(place))),
});
