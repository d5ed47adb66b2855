/** What of a trusted project was accepted, while its files go on changing: what is new waits for a yes (ruling 8). */

import { join } from 'node:path';
import { readRegularSync } from '../lib/regular-file.ts';
import { definitionPart, executableParts } from '../trust/parts.ts';
import type { Trust } from '../trust/record.ts';
import { projectHomes, type TrustAsk, type TrustDecision } from './trust-question.ts';

export interface Accepted {
  /** What can run in the project now, where that is another thing than what was accepted. */
  changed(): Promise<TrustAsk | undefined>;
  /** From now on what is there counts. */
  accept(): Promise<void>;
  /** Whether this line of what can run in the project was accepted. */
  trustsPart(part: string): boolean;
  /** Whether what a definition file would run was accepted as it stands. */
  trustsFile(path: string): boolean;
}

export interface AcceptedWish {
  readonly project: string;
  readonly decision: TrustDecision;
  readonly trust: Trust | undefined;
}

export const createAccepted = ({ project, decision, trust }: AcceptedWish): Accepted => {
  const homes = projectHomes.map((home) => `${join(project, home)}/`);
  let parts = decision.parts ?? [];
  const now = () => executableParts(project, projectHomes);
  return {
    async changed() {
      if (!decision.trusted) return undefined;
      const there = await now();
      const added = there.filter((part) => !parts.includes(part));
      const removed = parts.filter((part) => !there.includes(part));
      if (added.length === 0 && removed.length === 0) return undefined;
      const record = { path: project, trustedAt: '', fingerprint: '', parts: [...parts] };
      return { project, state: { state: 'changed', record, added, removed }, parts: there };
    },
    async accept() {
      if (!decision.trusted) return;
      parts = await now();
      if (decision.kept) await trust?.grant(project, parts, new Date());
    },
    trustsPart: (part) => decision.trusted && parts.includes(part),
    trustsFile(path) {
      if (!decision.trusted) return false;
      if (!homes.some((home) => path.startsWith(home))) return true;
      try {
        const part = definitionPart(project, path, readRegularSync(path).toString('utf8'));
        return part === undefined || parts.includes(part);
      } catch {
        return false;
      }
    },
  };
};
