/** How the screen looks: colours, a matter of the person and of one run, never of the project. */
import { join } from 'node:path';
import type { PromptColour } from '../commands/color.ts';
import type { Themes } from '../commands/theme.ts';
import type { ScreenCommands } from '../contract/screen.ts';
import { themeNames } from '../front/ui/theme.ts';
import type { World } from './world.ts';

/** The colour of the prompt in this run. */
export const promptColourOf = (commands: ScreenCommands): PromptColour => {
  let now = 'default';
  return {
    now: () => now,
    show(name) {
      now = name;
      commands.refresh();
    },
  };
};

/** Themes, kept in the person's own settings. */
export const themesOf = (world: World, commands: ScreenCommands): Themes => {
  let now = world.loaded().settings.theme ?? 'auto';
  return {
    names: themeNames,
    now: () => now,
    show: commands.setTheme,
    async keep(name) {
      now = name;
      if (!world.homes.own) return undefined;
      const { setSetting } = await import('../settings/write.ts');
      const done = await setSetting(join(world.homes.own, 'settings.json'), 'theme', name);
      return 'refused' in done ? done.refused : undefined;
    },
  };
};
