/** What of a trusted project was accepted, while its files go on changing: what is new waits for a yes (ruling 8). */
import { join } from 'node:path';
import { realOf } from '../lib/folders-below.ts';
import { partReader } from '../trust/definition-part.ts';
import { definitionParts, executableParts, homesOfPlace, pluginMark } from '../trust/parts.ts';
import { fingerprintOf, type Trust } from '../trust/record.ts';
import { projectHomes, type TrustAsk, type TrustDecision } from './trust-question.ts';

export interface Accepted {
  /** What can run in the project now, where that is another thing than what was accepted. */
  changed(): Promise<TrustAsk | undefined>;
  /** False while settings and servers at the root of the project are others than those that were accepted. */
  rootStands(): Promise<boolean>;
  /** From now on what was shown counts; what came after it waits for its own yes. */
  accept(shown: TrustAsk): Promise<void>;
  /**
   * Folders of definitions beside those of the project root: on the way to where somebody works, below it, added.
   * Who trusted the project for this run alone trusts what is in them when they come in.
   */
  attend(folders: readonly string[]): Promise<void>;
  /** Whether this line of what can run in the project was accepted. */
  trustsPart(part: string): boolean;
  /**
   * Whether what a definition file would run was accepted as it stands. A plugin that the person named counts with
   * the project, one that the project names as its parts were accepted.
   */
  trustsFile(path: string, plugin?: { readonly root: string; readonly ofProject?: boolean }): boolean;
  /** The fingerprint of what was accepted for this run alone, and so is on no record; undefined otherwise. */
  forThisRun(): string | undefined;
}

export interface AcceptedWish {
  readonly project: string;
  readonly decision: TrustDecision;
  readonly trust: Trust | undefined;
}

export const createAccepted = ({ project, decision, trust }: AcceptedWish): Accepted => {
  let parts = decision.parts ?? [];
  let more = decision.more ?? [];
  let folders: readonly string[] = [];
  const homes = projectHomes.map((home) => `${join(project, home)}/`);
  const reader = decision.reader ?? partReader(project);
  const atRoot = () => executableParts(project, reader);
  const elsewhere = (where = folders) => definitionParts(project, where, reader);
  const rootChanges = async () => {
    const there = await atRoot();
    const added = there.filter((part) => !parts.includes(part));
    const removed = parts.filter((part) => !there.includes(part));
    return { there, added, removed };
  };
  return {
    async changed() {
      if (!decision.trusted) return undefined;
      const { there, added, removed } = await rootChanges();
      const others = await elsewhere();
      const fresh = [...added, ...others.filter((part) => !more.includes(part))];
      if (fresh.length === 0 && removed.length === 0) return undefined;
      const record = { path: project, trustedAt: '', fingerprint: '', parts: [...parts], more: [...more] };
      return {
        project,
        state: { state: 'changed', record, added: fresh, removed },
        parts: there,
        more: others,
      };
    },
    async rootStands() {
      if (!decision.trusted) return true;
      const { added, removed } = await rootChanges();
      return added.length === 0 && removed.length === 0;
    },
    async accept(shown) {
      if (!decision.trusted) return;
      parts = shown.parts;
      more = [...new Set([...more, ...(shown.more ?? [])])];
      if (decision.kept) await trust?.grant(project, parts, new Date(), more);
    },
    async attend(all) {
      const next = all.filter((folder) => !homes.some((home) => folder.startsWith(home)));
      const fresh = next.filter((folder) => !folders.includes(folder));
      folders = next;
      if (!decision.trusted || decision.kept || fresh.length === 0) return;
      more = [...new Set([...more, ...(await elsewhere(fresh))])];
    },
    forThisRun: () => (decision.trusted && decision.kept !== true ? fingerprintOf(parts) : undefined),
    trustsPart: (part) => decision.trusted && parts.includes(part),
    trustsFile(path, plugin) {
      if (!decision.trusted) return false;
      if (plugin && !plugin.ofProject) return true;
      const mark = plugin ? pluginMark(project, plugin.root) : '';
      if (plugin && !parts.some((part) => part.startsWith(mark))) return false;
      try {
        const place = folders.find((folder) => path.startsWith(`${folder}/`));
        const part = reader.partOf({
          path,
          real: realOf(path),
          homes: homesOfPlace(project, place, plugin?.root),
        });
        return part === undefined || parts.includes(`${mark}${part}`) || (!plugin && more.includes(part));
      } catch {
        return false;
      }
    },
  };
};
