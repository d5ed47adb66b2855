/** Decides from the real path alone whether this folder's own files may select code, servers, variables, modes (ruling 1). */

import type { ReadAlready } from '../catalog/read-already.ts';
import { FOREIGN_PROJECT_HOME, type Homes, PROJECT_HOME } from '../settings/home.ts';
import { type PartReader, partReader } from '../trust/definition-part.ts';
import { executableParts } from '../trust/parts.ts';
import { createTrust, fingerprintOf, type Trust, type TrustState } from '../trust/record.ts';
import { said } from '../trust/said.ts';
import type { Flags } from './flags.ts';
import type { Host } from './host.ts';
import { privateFile } from './private-file.ts';

export interface TrustDecision {
  readonly trusted: boolean;
  /** What could run when the folder was trusted for this run, a line each. */
  readonly parts?: readonly string[];
  /** The same of definitions in other folders, as far as it was accepted earlier. */
  readonly more?: readonly string[];
  /** What it read already is not read again. */
  readonly reader?: PartReader;
  /** True when the trust is on record, not for this run alone. */
  readonly kept?: boolean;
  /** One line for standard error of a run without a person. */
  readonly notice?: string;
}

export interface TrustAsk {
  readonly project: string;
  readonly state: TrustState;
  /** What could run here, a line each. */
  readonly parts: readonly string[];
  /** The same of definitions in other folders than those of the project root. */
  readonly more?: readonly string[];
}

export interface TrustWish {
  readonly host: Host;
  readonly flags: Flags;
  readonly homes: Homes;
  readonly project: string;
  /** Real path of HOME. */
  readonly home: string | undefined;
  /** Takes what is read of definition files. */
  readonly already?: ReadAlready;
  /** True for a yes. */
  readonly ask?: (question: TrustAsk) => Promise<boolean>;
}

export const openTrust = (homes: Homes, home: string | undefined): Trust | undefined =>
  homes.own ? createTrust(privateFile(`${homes.own}/trust.json`), home) : undefined;

/** Folders of a project whose files count; the foreign ones are looked at too, whatever the settings say later. */
export const projectHomes: readonly string[] = [PROJECT_HOME, FOREIGN_PROJECT_HOME, '.agents'];

const OFF = 'its own hooks, servers, variables, allow rules and modes are off.';

export const decideTrust = async (wish: TrustWish): Promise<TrustDecision> => {
  const { host, flags, project } = wish;
  const reader = partReader(project, wish.already);
  const parts = await executableParts(project, reader);
  // What a lead trusts for its run alone, its teammate trusts as it was then (started by its lead, teammate-args.ts).
  if (flags.trustAs !== undefined) {
    if (flags.trustAs === fingerprintOf(parts)) return { trusted: true, parts, reader, kept: false };
    return { trusted: false, notice: `${project} has changed since it was trusted: ${OFF}` };
  }
  if (flags.trust || host.env.COPPICE_TRUST === '1') return { trusted: true, parts, reader, kept: false };
  const trust = openTrust(wish.homes, wish.home);
  const state = (await trust?.look(project, parts)) ?? { state: 'unknown' as const };
  if (state.state === 'trusted') return { trusted: true, parts, more: state.record.more, reader, kept: true };
  if (wish.ask) {
    const yes = await wish.ask({ project, state, parts });
    if (!yes) return { trusted: false };
    // What came while the question stood was not shown: it is asked about too.
    if (said(await executableParts(project, reader)) !== said(parts)) return decideTrust(wish);
    const refused = trust ? await trust.grant(project, parts, new Date()) : 'no home';
    return { trusted: true, parts, reader, kept: refused === undefined };
  }
  if (parts.length === 0) return { trusted: false };
  const why =
    state.state !== 'changed'
      ? 'is not trusted'
      : state.record.path === project
        ? 'has changed since you trusted it'
        : `can run what was not in ${state.record.path} when you trusted that`;
  return {
    trusted: false,
    notice: `${project} ${why}: ${OFF} To use them: --trust, COPPICE_TRUST=1, or coppice trust.`,
  };
};
