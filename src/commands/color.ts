import type { SlashCommand } from '../contract/command.ts';
import { promptColours } from '../contract/screen.ts';
import { refused, text } from './answer.ts';

export interface PromptColour {
  now(): string;
  /** Shows the prompt in it from now on. */
  show(name: string): void;
}

/** `/color [NAME]`: the prompt's rules in a colour of this session's own, to tell terminals apart. */
export const colorCommand = (colour: PromptColour): SlashCommand => ({
  name: 'color',
  description: 'Colour of the prompt, to tell sessions apart',
  argumentHint: `[${promptColours.join('|')}]`,
  source: 'builtin',
  instant: true,
  complete: () => promptColours,
  async run(args, { screen }) {
    const asked = args.trim().toLowerCase();
    const name =
      asked ||
      (await screen.pick({
        title: 'Colour of the prompt',
        items: promptColours.map((value) => ({ value, label: value })),
        initial: Math.max(
          0,
          promptColours.findIndex((one) => one === colour.now()),
        ),
      }));
    if (!name) return { kind: 'done' };
    if (!promptColours.some((one) => one === name))
      return refused(`There is no colour ${name}; there are ${promptColours.join(', ')}.`);
    colour.show(name);
    return text(`The prompt is ${name === 'default' ? 'as ever' : name}.`);
  },
});
