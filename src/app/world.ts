/** Where a run of the program stands: homes, project, trust, settings, stores. Nothing of the project selects code before trust. */

import { accessSync, constants, lstatSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createReadAlready, type ReadAlready } from '../catalog/read-already.ts';
import type { LoadedSettings, SettingsScope } from '../contract/settings.ts';
import { inherited } from '../hooks/environment.ts';
import { type Homes, homesOf, projectRoot, unlocked } from '../settings/home.ts';
import { loadSettings } from '../settings/load.ts';
import { type OpenStores, openStores } from '../store/open-stores.ts';
import { type Accepted, createAccepted } from './accepted.ts';
import { type Flags, UsageError } from './flags.ts';
import type { Host } from './host.ts';
import { decideTrust, openTrust, type TrustDecision } from './trust-question.ts';
import { VERSION } from './version.ts';

export interface World {
  readonly host: Host;
  readonly flags: Flags;
  readonly homes: Homes;
  /** Real path of the directory the program was started in. */
  readonly cwd: string;
  readonly project: string;
  readonly trust: TrustDecision;
  /** Which of the project's own hooks, servers and grants count; the rest waits for a yes. */
  readonly accepted: Accepted;
  /** Definition files that were read to decide about trust. */
  readonly already: ReadAlready;
  readonly stores: OpenStores;
  /** Settings as they count now; read again by `reload`. */
  loaded(): LoadedSettings;
  reload(): Promise<LoadedSettings>;
  /** The program's environment with the settings' `env` over it; an empty value takes a variable away. */
  env(): Readonly<Record<string, string | undefined>>;
  /** The same for programs that it starts and addresses that it fills in: without credentials. */
  childEnv(): Readonly<Record<string, string>>;
}

const realDirectory = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

const scopesOf = (flags: Flags): readonly SettingsScope[] | undefined => {
  if (flags.settingSources === undefined) return undefined;
  const names = flags.settingSources
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const known: readonly SettingsScope[] = ['user', 'project', 'local'];
  const wrong = names.find((name) => !known.some((one) => one === name));
  if (wrong) throw new UsageError(`--setting-sources takes user, project and local, not "${wrong}".`);
  return known.filter((one) => names.includes(one));
};

/** False only for a folder that this user may not look into. */
const mayRead = (folder: string): boolean => {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
    return true;
  } catch (error) {
    const forbidden = error instanceof Error && 'code' in error && error.code === 'EACCES';
    return !forbidden || isFile(folder);
  }
};

/** A file where a folder is meant cannot be looked into either, for another reason. */
const isFile = (path: string): boolean => {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

const inDirectory = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const withSettings = (env: Host['env'], { settings }: LoadedSettings): Host['env'] => ({
  ...env,
  ...Object.fromEntries(
    Object.entries(settings.env ?? {}).map(([name, value]) => [name, value === '' ? undefined : value]),
  ),
});

export interface WorldWish {
  readonly host: Host;
  readonly flags: Flags;
  /** Puts the trust question to a person; absent where nobody can answer. */
  readonly ask?: Parameters<typeof decideTrust>[0]['ask'];
  readonly trouble: (text: string) => void;
}

export const openWorld = async (wish: WorldWish): Promise<World> => {
  const { host, flags } = wish;
  const homes = unlocked(homesOf(host.env), mayRead);
  const cwd = realDirectory(host.cwd);
  const user = homes.user ? realDirectory(homes.user) : undefined;
  const project = projectRoot(cwd, user, inDirectory);
  const already = createReadAlready();
  const trust = await decideTrust({ host, flags, homes, project, home: user, ask: wish.ask, already });
  const accepted = createAccepted({ project, decision: trust, trust: openTrust(homes, user) });
  const load = (kept?: LoadedSettings) =>
    loadSettings({
      homes,
      project,
      trusted: trust.trusted && kept === undefined,
      flag: flags.settings,
      scopes: scopesOf(flags),
      cwd,
      ...(kept ? { kept: kept.layers.filter(({ scope }) => scope === 'project' || scope === 'local') } : {}),
    });
  let loaded = await load();
  const unread = loaded.problems.find(({ scope, key }) => scope === 'flag' && key === '');
  if (unread) throw new UsageError(`--settings: ${unread.text.replace(/^--settings: /, '')}`);
  const stores = await openStores({
    home: homes.own,
    locked: homes.locked,
    ...(homes.user && homes.own?.startsWith(homes.user) ? { within: homes.user } : {}),
    project,
    version: VERSION,
    scratch: host.env.XDG_RUNTIME_DIR ?? tmpdir(),
    ...(flags.sessionPersistence === false ? { persistence: 'off' as const } : {}),
    trouble: wish.trouble,
  });
  let merged:
    | {
        readonly loaded: LoadedSettings;
        readonly env: ReturnType<World['env']>;
        readonly child: ReturnType<World['childEnv']>;
      }
    | undefined;
  const surroundings = () => {
    if (merged?.loaded !== loaded) {
      const env = withSettings(host.env, loaded);
      merged = { loaded, env, child: inherited(env, loaded.settings.passCredentials ?? []) };
    }
    return merged;
  };
  return {
    host,
    flags,
    homes,
    cwd,
    project,
    trust,
    accepted,
    already,
    stores,
    loaded: () => loaded,
    async reload() {
      // What changed in the project and was not accepted stays out; what it had before goes on.
      loaded = await load((await accepted.rootStands()) ? undefined : loaded);
      return loaded;
    },
    env: () => surroundings().env,
    childEnv: () => surroundings().child,
  };
};
