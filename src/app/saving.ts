/** Rules that a person or a hook wants kept: written to the settings file they chose, and in force at once. */
import { join } from 'node:path';
import type { RuleDestination } from '../contract/ask.ts';
import { PROJECT_HOME } from '../settings/home.ts';
import { changeRules, setSetting, type Written } from '../settings/write.ts';
import { bypassRefused } from './bypass-refused.ts';
import { scopeOf } from './gate.ts';
import { excludeFromGit } from './git-exclude.ts';
import { permissionUpdates, type UpdateDeps } from './permission-updates.ts';
import type { World } from './world.ts';

type Place = Exclude<RuleDestination, 'session'>;

export interface Saving {
  /** Throws a sentence when the rules cannot be kept there. */
  remember(rules: readonly string[], to: Place): Promise<void>;
  /** One list of `permissions` in one file. */
  change(
    to: Place,
    list: 'allow' | 'ask' | 'deny',
    how: 'add' | 'remove',
    rules: readonly string[],
  ): Promise<Written>;
  /** A key of the person's own settings; `undefined` takes it away. */
  set(key: string, value: unknown): Promise<Written>;
  readonly updatePermissions: ReturnType<typeof permissionUpdates>;
}

export const createSaving = (world: World): Saving => {
  const fileOf = (to: Place): string => {
    const scope = scopeOf(to);
    if (scope === 'user') return join(world.homes.own ?? join(world.project, PROJECT_HOME), 'settings.json');
    return join(world.project, PROJECT_HOME, scope === 'local' ? 'settings.local.json' : 'settings.json');
  };
  /** What we write ourselves changes nothing about whether the folder is trusted as it is. */
  const write = async (to: Place, work: (file: string) => Promise<Written>): Promise<Written> => {
    const scope = scopeOf(to);
    if (scope !== 'user' && !world.trust.trusted)
      return {
        refused: `${world.project} is not trusted, so rules of its own files do not count. Choose this session or your user settings.`,
      };
    const foreign = scope === 'user' ? undefined : await world.accepted.changed();
    const written = await work(fileOf(to));
    if ('refused' in written) return written;
    if (scope === 'local') await excludeFromGit(world.project, `/${PROJECT_HOME}/settings.local.json`);
    const own = scope === 'user' || foreign ? undefined : await world.accepted.changed();
    if (own) await world.accepted.accept(own);
    await world.reload();
    return written;
  };
  const deps: UpdateDeps = {
    save: (to, name, how, values) => write(to, (file) => changeRules(file, name, how, values)),
    setMode: (to, mode) => write(to, (file) => setSetting(file, 'permissions.defaultMode', mode)),
    refused: (mode) => (mode === 'bypassPermissions' ? bypassRefused(world) : undefined),
  };
  return {
    async remember(rules, to) {
      const saved = await deps.save(to, 'allow', 'add', rules);
      if ('refused' in saved) throw new Error(saved.refused);
    },
    change: (to, list, how, rules) => deps.save(to, list, how, rules),
    set: (key, value) => write('userSettings', (file) => setSetting(file, key, value)),
    updatePermissions: permissionUpdates(deps),
  };
};
