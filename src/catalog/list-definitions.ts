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

/** A row of `coppice doctor`. */
export interface Check {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  readonly fix: string;
}

const MOST_NAMED = 20;

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const checkOf = (check: string, all: readonly Definition[], what: string): Check => {
  const wrong = all.filter((one) => one.problems.length > 0);
  const repaired = all.filter((one) => one.repairs.length > 0).length;
  const shadowed = all.filter((one) => one.shadowedBy !== undefined).length;
  const parts = [
    what,
    ...(repaired > 0 ? [`${repaired} read with repairs`] : []),
    ...(shadowed > 0 ? [`${shadowed} shadowed by a stronger file`] : []),
  ];
  const named = wrong.slice(0, MOST_NAMED).map((one) => `${one.path}: ${one.problems.join(' ')}`);
  const more = wrong.length > MOST_NAMED ? [`and ${wrong.length - MOST_NAMED} more`] : [];
  return {
    check,
    status: wrong.length > 0 ? 'warn' : 'ok',
    detail: [parts.join(', '), ...named, ...more].join('\n'),
    fix:
      wrong.length > 0
        ? `Mend these files; \`coppice ${check} list\` shows each with what was repaired.`
        : '',
  };
};

/** Rows for skills and agents. */
export const definitionChecks = (all: readonly Definition[]): readonly Check[] => {
  const skills = listSkills(all);
  const agents = listAgents(all);
  const commands = skills.filter((one) => one.kind === 'command').length;
  return [
    checkOf(
      'skills',
      skills,
      `${counted(skills.length - commands, 'skill')}, ${counted(commands, 'command')}`,
    ),
    checkOf('agents', agents, counted(agents.length, 'agent')),
  ];
};
