/** What a run before a screen opens once, with what the person is asked and told on the way. */
import { colorCommand, type PromptColour } from '../commands/color.ts';
import { themeCommand } from '../commands/theme.ts';
import type { ScreenCommands } from '../contract/screen.ts';
import { themeNames } from '../front/ui/theme.ts';
import { askChanges, type MayUse } from './ask-changes.ts';
import { slashOf } from './builtin-commands.ts';
import { warnedOfBypass } from './bypass-warning.ts';
import { editFile } from './editor.ts';
import { chooseModelAccess } from './first-run.ts';
import type { Flags } from './flags.ts';
import type { Host } from './host.ts';
import { createHouse, type House } from './house.ts';
import { keyProgram } from './key-program.ts';
import { modeOf, modeRefusal, modesOffered } from './mode-choice.ts';
import { createModels } from './models.ts';
import { themesOf } from './screen-looks.ts';
import type { Slash } from './slash.ts';
import { askTrust } from './trust-text.ts';
import { createTyping, type Typing } from './typing-habits.ts';
import { VERSION } from './version.ts';
import { openWorld, type World } from './world.ts';

export interface ScreenHouse {
  readonly house: House;
  readonly slash: Slash;
  readonly typing: Typing;
  readonly mayUse: MayUse;
}

const openWorldFor = async (host: Host, flags: Flags, commands: ScreenCommands): Promise<World> => {
  const world = await openWorld({
    host,
    flags,
    trouble: (text) => commands.notice('warn', text),
    ask: (question) => askTrust(commands, question),
  });
  if (world.stores.warning) commands.notice('warn', world.stores.warning);
  for (const problem of world.loaded().problems) commands.notice('warn', problem.text);
  const theme = world.loaded().settings.theme;
  if (theme && themeNames.some((name) => name === theme)) commands.setTheme(theme);
  else if (theme)
    commands.notice('warn', `There is no theme "${theme}". There are: ${themeNames.join(', ')}.`);
  const stricterMode = modeRefusal(world.loaded());
  if (stricterMode) commands.notice('warn', stricterMode);
  return world;
};

/** Undefined where the person would rather leave. */
export const openScreenHouse = async (
  host: Host,
  flags: Flags,
  commands: ScreenCommands,
  colour: PromptColour,
): Promise<ScreenHouse | undefined> => {
  const world = await openWorldFor(host, flags, commands);
  const bypass =
    modesOffered(world, flags).includes('bypassPermissions') || modeOf(world, flags) === 'bypassPermissions';
  if (bypass && !(await warnedOfBypass(commands, world))) return undefined;
  const access = await chooseModelAccess(world, flags, commands);
  if (!access) return undefined;
  const models = await createModels({
    flags,
    env: { ...world.env(), ...access.env },
    loaded: world.loaded(),
    storedKey: access.storedKey,
    version: VERSION,
    helper: keyProgram(world),
    practice: access.practice,
  });
  const house = await createHouse({ world, models, tell: (text) => commands.notice('warn', text) });
  const mayUse = askChanges(commands, world, async () => {
    await house.plugins.reload();
    await Promise.all([house.servers.reload(), house.library.catalog.refresh()]);
  });
  const typing = await createTyping(world);
  for (const problem of typing.problems()) commands.notice('warn', problem);
  if (house.commands.trouble) commands.notice('warn', house.commands.trouble);
  if (house.voice.problem) commands.notice('warn', house.voice.problem);
  const slash = slashOf(house, {
    write: (bytes) => void host.stdout.write(bytes),
    edit: (path) => commands.suspend(() => editFile(path, host.env)),
    reloadKeys: typing.reload,
    acceptChanges: () => mayUse('again'),
    more: [themeCommand(themesOf(world, commands)), colorCommand(colour)],
  });
  return { house, slash, typing, mayUse };
};
