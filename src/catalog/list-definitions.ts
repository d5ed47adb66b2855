import type { Definition, DefinitionKind } from '../contract/catalog.ts';
import { hanging } from '../lib/hanging.ts';
import { safeText } from '../lib/safe-text.ts';

const order = (one: Definition): string =>
  `${one.slash}\u0000${one.shadowedBy === undefined ? 0 : 1}\u0000${one.path}`;

/** By what is typed, the one that counts before those it shadows: the same on every run. */
export const listed = (all: readonly Definition[], kinds: readonly DefinitionKind[]): readonly Definition[] =>
  all
    .filter((one) => kinds.includes(one.kind))
    .toSorted((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0));

const oneLine = (text: string): string => safeText(text.replace(/\s+/g, ' ').trim());

const nameOf = (one: Definition): string => oneLine(one.kind === 'agent' ? one.name : `/${one.slash}`);
const sourceOf = (one: Definition): string =>
  oneLine(one.kind === 'command' ? `${one.source}, command` : one.source);

/** A column is no wider, so that one long name leaves room for all descriptions. */
const WIDEST = 24;

const widthOf = (texts: readonly string[]): number =>
  Math.min(WIDEST, Math.max(0, ...texts.map(({ length }) => length)));

/**
 * For people: name, source and description in columns, with what was repaired and what is wrong below. What is too
 * long for the terminal goes on below itself. `columns` are as many as there are, else Infinity: one line each.
 */
export const definitionLines = (all: readonly Definition[], columns: number): string => {
  const [names, sources] = [widthOf(all.map(nameOf)), widthOf(all.map(sourceOf))];
  const indent = ' '.repeat(names + sources + 4);
  const room = Math.max(20, columns - indent.length);
  return all
    .flatMap((one) => {
      const head = `${nameOf(one).padEnd(names)}  ${sourceOf(one).padEnd(sources)}`;
      const said = [
        oneLine(one.description),
        ...(one.shadowedBy ? [`not used: ${oneLine(one.shadowedBy)} has the name`] : []),
        ...one.repairs.map((text) => `repaired: ${oneLine(text)}`),
        ...one.problems.map((text) => `problem: ${oneLine(text)}`),
      ].map((text) => hanging(text, room, indent));
      return head.length > indent.length - 2 && columns < Number.POSITIVE_INFINITY
        ? [head.trimEnd(), ...said.map((text) => `${indent}${text}`)]
        : said.map((text, at) => (at === 0 ? `${head}  ${text}` : `${indent}${text}`));
    })
    .join('\n');
};
