/** The mode a conversation begins in. */
import type { AgentDefinition } from '../contract/agent.ts';
import { type Mode, modes, stricter } from '../contract/mode.ts';
import type { LoadedSettings } from '../contract/settings.ts';
import { bypassRefused } from './bypass-refused.ts';
import { type Flags, UsageError } from './flags.ts';
import type { World } from './world.ts';

const modesIn = (loaded: LoadedSettings, whose: 'own' | 'project'): readonly Mode[] =>
  loaded.layers
    .filter(({ scope }) => (scope === 'project' || scope === 'local') === (whose === 'project'))
    .flatMap(({ settings }) => settings.permissions?.defaultMode ?? []);

/** A project may make the person's mode stricter, never looser (security 2.5). */
export const modeOfSettings = (loaded: LoadedSettings): Mode => {
  const own = modesIn(loaded, 'own')[0] ?? 'default';
  const wished = modesIn(loaded, 'project')[0];
  return wished ? stricter(own, wished) : own;
};

/** A sentence when a project wished for a looser mode than the person's. */
export const modeRefusal = (loaded: LoadedSettings): string | undefined => {
  const wished = modesIn(loaded, 'project')[0];
  const mode = modeOfSettings(loaded);
  return wished === undefined || wished === mode
    ? undefined
    : `This project's settings ask for the mode ${wished}; yours is ${mode} and stays. A looser mode counts in your user settings or as --permission-mode.`;
};

/** The mode to begin in; bypassPermissions as root needs a sandbox (ruling 7). */
export const modeOf = (world: World, flags: Flags): Mode => {
  const asked = flags.dangerouslySkipPermissions ? 'bypassPermissions' : flags.permissionMode;
  const named = asked === 'manual' || asked === 'normal' || asked === 'auto' ? 'default' : asked;
  const mode = named === undefined ? modeOfSettings(world.loaded()) : modes.find((one) => one === named);
  if (mode === undefined)
    throw new UsageError(`--permission-mode takes ${modes.join(', ')}, not "${asked}".`);
  if (mode === 'bypassPermissions') {
    const refused = bypassRefused(world);
    if (refused) throw new UsageError(refused);
  }
  return mode;
};

/** The same for an agent as the conversation: its definition counts where the command line says nothing; a project's never loosens. */
export const modeFor = (world: World, flags: Flags, definition: AgentDefinition | undefined): Mode => {
  const mode = modeOf(world, flags);
  const wished = definition?.permissionMode;
  if (wished === undefined || flags.permissionMode !== undefined || flags.dangerouslySkipPermissions)
    return mode;
  const trusted = definition?.source !== 'project' && definition?.source !== 'plugin';
  return trusted && wished !== 'bypassPermissions' ? wished : stricter(mode, wished);
};

/** The modes that can be changed to while it runs: bypassPermissions only where the command line named it. */
export const modesOffered = (world: World, flags: Flags): readonly Mode[] => {
  const bypass =
    flags.dangerouslySkipPermissions ||
    flags.allowDangerouslySkipPermissions ||
    flags.permissionMode === 'bypassPermissions';
  return [
    'default',
    'acceptEdits',
    'plan',
    ...(bypass && !bypassRefused(world) ? (['bypassPermissions'] as const) : []),
  ];
};
