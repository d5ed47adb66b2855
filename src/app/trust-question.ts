/** Decides from the real path alone whether this folder's own files may select code, servers, variables, modes (ruling 1). */

import { FOREIGN_PROJECT_HOME, type Homes, PROJECT_HOME } from '../settings/home.ts';
import { executableParts } from '../trust/parts.ts';
import { createTrust, type Trust, type TrustState } from '../trust/record.ts';
import type { Flags } from './flags.ts';
import type { Host } from './host.ts';
import { privateFile } from './private-file.ts';

export interface TrustDecision {
  readonly trusted: boolean;
  /** One line for standard error of a run without a person. */
  readonly notice?: string;
}

export interface TrustAsk {
  readonly project: string;
  readonly state: TrustState;
  /** What could run here, a line each. */
  readonly parts: readonly string[];
}

export interface TrustWish {
  readonly host: Host;
  readonly flags: Flags;
  readonly homes: Homes;
  readonly project: string;
  /** Real path of HOME. */
  readonly home: string | undefined;
  /** True for a yes. */
  readonly ask?: (question: TrustAsk) => Promise<boolean>;
}

export const openTrust = (homes: Homes, home: string | undefined): Trust | undefined =>
  homes.own ? createTrust(privateFile(`${homes.own}/trust.json`), home) : undefined;

/** Folders of a project whose files count; the foreign ones are looked at too, whatever the settings say later. */
export const projectHomes: readonly string[] = [PROJECT_HOME, FOREIGN_PROJECT_HOME, '.agents'];

export const decideTrust = async (wish: TrustWish): Promise<TrustDecision> => {
  const { host, flags, project } = wish;
  if (flags.trust || host.env.COPPICE_TRUST === '1') return { trusted: true };
  const parts = await executableParts(project, projectHomes);
  const trust = openTrust(wish.homes, wish.home);
  const state = (await trust?.look(project, parts)) ?? { state: 'unknown' as const };
  if (state.state === 'trusted') return { trusted: true };
  if (wish.ask) {
    const yes = await wish.ask({ project, state, parts });
    if (!yes) return { trusted: false };
    await trust?.grant(project, parts, new Date());
    return { trusted: true };
  }
  if (parts.length === 0) return { trusted: false };
  const why = state.state === 'changed' ? 'has changed since you trusted it' : 'is not trusted';
  return {
    trusted: false,
    notice: `${project} ${why}: its own hooks, servers, variables, allow rules and modes are off. To use them: --trust, COPPICE_TRUST=1, or coppice trust.`,
  };
};

/** What can run in this project now, where that is another thing than what was trusted (ruling 8). */
export const changedParts = async (world: {
  readonly project: string;
  readonly homes: Homes;
}): Promise<TrustAsk | undefined> => {
  const parts = await executableParts(world.project, projectHomes);
  const state = await openTrust(world.homes, world.homes.user)?.look(world.project, parts);
  return state?.state === 'changed' ? { project: world.project, state, parts } : undefined;
};

/** Trusts what can run in this project now. */
export const keepTrust = async (world: {
  readonly project: string;
  readonly homes: Homes;
}): Promise<true> => {
  await openTrust(world.homes, world.homes.user)?.grant(
    world.project,
    await executableParts(world.project, projectHomes),
    new Date(),
  );
  return true;
};
