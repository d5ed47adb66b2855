import type { SlashCommand } from '../contract/command.ts';
import { refused, text } from './answer.ts';

export interface Themes {
  readonly names: readonly string[];
  now(): string;
  /** Shows the screen in these colours from now on. */
  show(name: string): void;
  /** Keeps the choice for later runs; a sentence when that failed. */
  keep(name: string): Promise<string | undefined>;
}

const meanings: Readonly<Record<string, string>> = {
  auto: 'dark or light, as the terminal is',
  'dark-daltonized': 'blue and orange for green and red',
  'light-daltonized': 'blue and orange for green and red',
  ansi: "the terminal's own sixteen colours",
  none: 'no colour',
};

/** `/theme [NAME]`: colours of the screen; each shows itself while one moves through the list. */
export const themeCommand = (themes: Themes): SlashCommand => ({
  name: 'theme',
  description: 'Colours of the screen',
  argumentHint: `[${themes.names.join('|')}]`,
  source: 'builtin',
  instant: true,
  complete: () => themes.names,
  async run(args, { screen }) {
    const before = themes.now();
    const asked = args.trim();
    const name =
      asked ||
      (await screen.pick({
        title: 'Theme',
        items: themes.names.map((value) => ({ value, label: value, hint: meanings[value] ?? '' })),
        initial: Math.max(0, themes.names.indexOf(before)),
        preview: async (value) => {
          themes.show(value);
          return sample;
        },
      }));
    if (!name || !themes.names.includes(name)) {
      themes.show(before);
      return name
        ? refused(`There is no theme ${name}; there are ${themes.names.join(', ')}.`)
        : { kind: 'done' };
    }
    themes.show(name);
    const failed = await themes.keep(name);
    return failed ? refused(failed) : text(`Theme: ${name}.`);
  },
});

const sample = '**Round once**, in `total()`\n\n- a list\n- a [link](https://example.com)\n\n> a quotation';
