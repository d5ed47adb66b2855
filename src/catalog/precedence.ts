/** Who is called by a name that several definitions want: the strongest place wins, the others say by whom they are shadowed. */
import type { Found } from './definition.ts';
import { slug } from './slug.ts';

/** A name that tells a loser apart: its folder below the start directory, or the folder it lies in. */
const longer = (found: Found): string | undefined => {
  if (found.kind === 'agent' || found.place.plugin) return undefined;
  if (found.place.below) return `${found.place.below}:${found.slash}`;
  const folder = found.kind === 'skill' ? found.folders.at(-2) : undefined;
  return folder ? `${slug(folder)}:${found.slash}` : undefined;
};

const keyOf = (found: Found): string =>
  found.kind === 'agent' ? `@${agentName(found).toLowerCase()}` : `/${found.slash}`;

/** Agents are known by their name; those of a plugin by its name too. */
export const agentName = (found: Found): string => (found.place.plugin ? found.slash : found.name);

/** In the order of the list, which is from strong to weak. A file that is reached twice counts once. */
export const byPrecedence = (all: readonly Found[]): readonly Found[] => {
  const files = new Set<string>();
  const taken = new Map<string, Found>();
  const settled: Found[] = [];
  for (const found of all) {
    if (files.has(`${found.kind} ${found.real}`)) continue;
    files.add(`${found.kind} ${found.real}`);
    const holder = taken.get(keyOf(found));
    if (!holder) {
      taken.set(keyOf(found), found);
      settled.push(found);
      continue;
    }
    const slash = longer(found);
    if (slash === undefined || taken.has(`/${slash}`)) {
      settled.push({ ...found, shadowedBy: holder.path });
      continue;
    }
    const named = { ...found, slash, qualified: true };
    taken.set(`/${slash}`, named);
    settled.push(found.place.below ? named : { ...named, shadowedBy: holder.path });
  }
  return settled;
};
