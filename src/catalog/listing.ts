/** What the model is told of skills and agents: names always, descriptions as far as the budget goes. */
import type { AgentDefinition } from '../contract/agent.ts';
import type { SkillInfo } from '../contract/skill.ts';

/** Signs of text a token takes, roughly. */
const SIGNS_PER_TOKEN = 4;
const SHARE = 0.01;
const SHORTEST = 60;

/** Signs for the listing of skills: `share` of the window (1 % if absent), at least enough for a screen of them. */
export const listingBudget = (windowTokens: number, share: number | undefined): number =>
  Math.max(2000, Math.floor(windowTokens * (share ?? SHARE) * SIGNS_PER_TOKEN));

const cut = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text
        .slice(0, Math.max(0, most - 1))
        .trimEnd()
        .toWellFormed()}…`;

const sizeOf = (lines: readonly string[]): number => lines.reduce((sum, one) => sum + one.length + 1, 0);

/** One line each. Over the budget the texts get shorter together; then names alone; then a count of the rest. */
const fitted = <T>(
  all: readonly T[],
  how: {
    readonly line: (one: T, most: number) => string;
    readonly longest: number;
    readonly budget: number;
    readonly rest: (count: number) => string;
  },
): string => {
  const { line, budget } = how;
  const fits = (most: number) => sizeOf(all.map((one) => line(one, most))) <= budget;
  let most = how.longest;
  while (most > SHORTEST && !fits(most)) most = Math.floor(most / 1.5);
  const length = fits(most) ? most : 0;
  const lines = all.map((one) => line(one, length));
  let left = budget;
  const kept = lines.filter((one) => {
    left -= one.length + 1;
    return left >= 0;
  });
  const rest = lines.length - kept.length;
  return `${kept.join('\n')}${rest > 0 ? `\n${how.rest(rest)}` : ''}`;
};

const skillLine = (skill: SkillInfo, most: number): string => {
  const description = skill.forModel === 'listed' && most > 0 ? cut(skill.description, most) : '';
  return `- ${skill.slash}${description === '' ? '' : `: ${description}`}`;
};

export const skillListing = (skills: readonly SkillInfo[], budget: number): string | undefined => {
  const shown = skills.filter((skill) => skill.forModel !== 'hidden');
  if (shown.length === 0) return undefined;
  const rest = (count: number) =>
    `- and ${count} more; /skills shows them, and each can be called by its name`;
  return `Skills that SkillTool can run:\n${fitted(shown, { line: skillLine, longest: 1536, budget, rest })}`;
};

const agentLine = (agent: AgentDefinition, most: number): string => {
  if (most === 0) return `- ${agent.name}`;
  const text = cut(agent.description, 2 * most)
    .replaceAll('\\n', ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const tools = agent.tools ? ` (tools: ${cut(agent.tools.join(', '), Math.min(most, 200))})` : '';
  return `- ${agent.name}: ${cut(text, most)}${tools}`;
};

/** Agents for AgentTool, each with what it is for; those that come with the program stay among them. */
export const agentListing = (agents: readonly AgentDefinition[], budget: number): string | undefined => {
  if (agents.length === 0) return undefined;
  const rest = (count: number) =>
    `- and ${count} more; /agents shows them, and each can be started by its name`;
  const builtin = agents.filter(({ source }) => source === 'builtin');
  const others = agents.filter(({ source }) => source !== 'builtin');
  const how = { line: agentLine, longest: 600, rest };
  const ownLines = fitted(builtin, { ...how, budget: Number.POSITIVE_INFINITY });
  const lines = fitted(others, { ...how, budget: Math.max(0, budget - ownLines.length) });
  return `Agent types that AgentTool can start:\n${[ownLines, lines].filter((text) => text !== '').join('\n')}`;
};

/** What a listing says differently from the one before: new lines whole, of lost ones the names. */
export const listingNews = (before: string, now: string): readonly string[] => {
  const lines = (text: string) => text.split('\n').filter((line) => line.startsWith('- '));
  const name = (line: string) => line.slice(2).replace(/: .*$/s, '');
  const told = new Set(lines(before));
  const current = lines(now);
  const names = new Set(current.map(name));
  const fresh = current.filter((line) => !told.has(line));
  const gone = [...told].map(name).filter((one) => !names.has(one));
  return [
    ...(fresh.length > 0 ? [`Skills and agents that are new or have changed:\n${fresh.join('\n')}`] : []),
    ...(gone.length > 0 ? [`These skills and agents are gone: ${gone.join(', ')}.`] : []),
  ];
};

/** After a compaction the last use of each skill comes back, newest first, within these signs each and in all. */
export const skillsAgain = (
  used: readonly { readonly name: string; readonly text: string }[],
  each = 5000 * SIGNS_PER_TOKEN,
  all = 25_000 * SIGNS_PER_TOKEN,
): readonly string[] => {
  let left = all;
  return used.toReversed().flatMap(({ name, text }) => {
    if (text === '') return [];
    const part = cut(text, Math.min(each, left));
    if (left < 200) return [];
    left -= part.length;
    return [`The skill ${name} was run earlier in this conversation. Its text:\n${part}`];
  });
};
