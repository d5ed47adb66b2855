/** What most subcommands need: homes, project, trust and settings of where they were called, without a conversation. */
import { lstatSync, realpathSync } from 'node:fs';
import type { LoadedSettings } from '../../contract/settings.ts';
import { type Homes, homesOf, projectRoot } from '../../settings/home.ts';
import { loadSettings } from '../../settings/load.ts';
import type { Host } from '../host.ts';
import { decideTrust } from '../trust-question.ts';

export interface Place {
  readonly homes: Homes;
  /** Real path of HOME. */
  readonly home: string | undefined;
  readonly cwd: string;
  readonly project: string;
  readonly trusted: boolean;
  readonly loaded: LoadedSettings;
}

const real = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

/** `trust: true` treats the folder as trusted for this run. */
export const placeOf = async (
  host: Host,
  wish: { readonly trust?: boolean; readonly settings?: string } = {},
): Promise<Place> => {
  const homes = homesOf(host.env);
  const home = homes.user ? real(homes.user) : undefined;
  const cwd = real(host.cwd);
  const project = projectRoot(cwd, home, (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  const flags = {
    outputFormat: 'text' as const,
    inputFormat: 'text' as const,
    sessionPersistence: true,
    trust: wish.trust,
  };
  const { trusted } = await decideTrust({ host, flags, homes, project, home });
  const loaded = await loadSettings({ homes, project, trusted, flag: wish.settings, cwd });
  return { homes, home, cwd, project, trusted, loaded };
};

/** Sets the exit code of the process when the subcommand is done (ruling 50: 0 done, 1 refused or failed, 2 usage). */
export type Finish = (code: 0 | 1 | 2) => void;

export type Subcommand = (program: import('commander').Command, host: Host, finish: Finish) => void;
