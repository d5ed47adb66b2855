import type { Definition, DefinitionKind } from '../contract/catalog.ts';
import { safeText } from '../lib/safe-text.ts';

const order = (one: Definition): string =>
  `${one.slash}\u0000${one.shadowedBy === undefined ? 0 : 1}\u0000${one.path}`;

const listed = (all: readonly Definition[], kinds: readonly DefinitionKind[]): readonly Definition[] =>
  all
    .filter((one) => kinds.includes(one.kind))
    .toSorted((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0));

/** Skills and commands by what is typed, the one that counts before those it shadows: the same on every run. */
export const listSkills = (all: readonly Definition[]): readonly Definition[] =>
  listed(all, ['skill', 'command']);

export const listAgents = (all: readonly Definition[]): readonly Definition[] => listed(all, ['agent']);

const firstLine = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 100 ? `${line.slice(0, 99).toWellFormed()}…` : line;
};

/** For people: a line each, with what was repaired and what is wrong below it. */
export const definitionLines = (all: readonly Definition[]): string =>
  all
    .flatMap((one) => [
      `${one.kind === 'agent' ? one.name : `/${one.slash}`}  (${one.kind === 'command' ? 'command, ' : ''}${one.source}${one.shadowedBy ? `, not used: ${one.shadowedBy} has the name` : ''})  ${firstLine(one.description)}`,
      ...one.repairs.map((text) => `    repaired: ${text}`),
      ...one.problems.map((text) => `    problem: ${text}`),
    ])
    .map((line) => safeText(line))
    .join('\n');
