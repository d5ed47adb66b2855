import type { SlashCommand } from '../contract/command.ts';
import { refused, text } from './answer.ts';

export interface ModelChoices {
  /** Tiers and known ids with a hint each. */
  list(): readonly { readonly name: string; readonly id: string; readonly hint?: string }[];
  /** The id for a name, or undefined when it is not known. */
  resolve(name: string): string | undefined;
}

/** `/model [name]`: which model answers from now on. */
export const modelCommand = (choices: ModelChoices): SlashCommand => ({
  name: 'model',
  description: 'Which model answers',
  argumentHint: '[small|medium|large|id]',
  source: 'builtin',
  complete: () => choices.list().map((one) => one.name),
  async run(args, { session, screen }) {
    const now = session.state().model;
    const all = choices.list();
    const wish =
      args.trim() ||
      (await screen.pick({
        title: 'Model',
        items: all.map((one) => ({
          value: one.name,
          label: one.name,
          hint: one.id === now ? `${one.id} (now)` : (one.hint ?? one.id),
        })),
        initial: Math.max(
          0,
          all.findIndex((one) => one.id === now),
        ),
      }));
    if (!wish) return text(`The model is ${now}.`);
    const id = choices.resolve(wish);
    if (!id)
      return refused(
        `There is no model "${wish}". Try one of: ${all.map((one) => one.name).join(', ')}, or a full model id.`,
      );
    await session.record({ type: 'model', model: id });
    return text(`The model is now ${id}.`);
  },
});
