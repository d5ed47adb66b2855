/** Where settings and everything else of a person and of a project lie. Pure: the caller reads the environment. */
import { dirname, isAbsolute, join, resolve } from 'node:path';

export interface Homes {
  /** `~/.coppice`, moved by COPPICE_CONFIG_DIR; undefined when nothing says where. */
  readonly own?: string;
  /** `~/.claude`, moved by CLAUDE_CONFIG_DIR: read, never written. */
  readonly foreign?: string;
  /** Holds sign-in and servers of the foreign home: read only. */
  readonly foreignState?: string;
  /** HOME itself. */
  readonly user?: string;
  /** Our home, where it is there but may not be looked into: nothing in it counts, and `own` is absent. */
  readonly locked?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Relative values and an empty HOME count as unset: nothing is ever looked for in the current directory. */
export const homesOf = (env: Env): Homes => {
  const user = absolute(env.HOME) ?? absolute(env.USERPROFILE);
  const own = absolute(env.COPPICE_CONFIG_DIR) ?? (user && join(user, '.coppice'));
  const moved = absolute(env.CLAUDE_CONFIG_DIR);
  const foreign = moved ?? (user && join(user, '.claude'));
  const foreignState = moved ? join(moved, '.claude.json') : user && join(user, '.claude.json');
  return {
    ...(own ? { own } : {}),
    ...(foreign ? { foreign } : {}),
    ...(foreignState ? { foreignState } : {}),
    ...(user ? { user } : {}),
  };
};

/** `mayRead` is asked for our home, if it is a folder: one that is locked counts as none, so that it is told of once. */
export const unlocked = (homes: Homes, mayRead: (folder: string) => boolean): Homes => {
  const { own, ...others } = homes;
  return own === undefined || mayRead(own) ? homes : { ...others, locked: own };
};

const absolute = (path: string | undefined): string | undefined =>
  path !== undefined && isAbsolute(path) ? resolve(path) : undefined;

/**
 * The nearest directory at or above `start` with a `.git` entry, never the home or `/`; else `start` itself.
 * `exists` is asked with lstat: what the entry is or holds does not matter (rulings, head).
 */
export const projectRoot = (
  start: string,
  home: string | undefined,
  exists: (path: string) => boolean,
): string => {
  for (let dir = resolve(start); dir !== dirname(dir); dir = dirname(dir)) {
    if (dir !== home && exists(join(dir, '.git'))) return dir;
  }
  return resolve(start);
};

export const PROJECT_HOME = '.coppice';
export const FOREIGN_PROJECT_HOME = '.claude';
