import type { SlashCommand } from '../contract/command.ts';
import type { Effort } from '../contract/model.ts';
import { refused, text } from './answer.ts';

const levels: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/** `/effort [level]`: how hard the model thinks. */
export const effortCommand = (offered: (model: string) => readonly Effort[]): SlashCommand => ({
  name: 'effort',
  description: 'How hard the model thinks',
  argumentHint: '[low|medium|high|xhigh|max]',
  source: 'builtin',
  complete: () => levels,
  async run(args, { session, screen }) {
    const { model, effort } = session.state();
    const here = offered(model);
    if (here.length === 0) return refused(`${model} has no effort levels.`);
    const wish =
      args.trim() ||
      (await screen.pick({
        title: 'Effort',
        items: here.map((value) => ({ value, label: value, hint: value === effort ? 'now' : undefined })),
        initial: Math.max(0, effort ? here.indexOf(effort) : 0),
      }));
    if (!wish)
      return text(`Effort is ${effort ?? "the model's default"}. Levels of ${model}: ${here.join(', ')}.`);
    const level = here.find((one) => one === wish);
    if (!level) return refused(`${model} has no effort level "${wish}". Its levels are: ${here.join(', ')}.`);
    await session.record({ type: 'model', effort: level });
    return text(`Effort is now ${level}.`);
  },
});
