import type { SlashEntry } from '../../contract/screen.ts';
import { nearNames } from '../../lib/near-names.ts';
import { ranked, score } from './fuzzy.ts';
import { type Menu, type Prompt, slashAt } from './prompt.ts';

/** Names and aliases that begin or hold the query count before those that only have its letters. */
const HOLDS = 200;

/** What completes a command being typed. Names that a slip of the finger may have meant come unchosen. */
function slashMatches(
  query: string,
  entries: readonly SlashEntry[],
): { readonly entries: readonly SlashEntry[]; readonly chosen: boolean } {
  const namesOf = (entry: SlashEntry) => [entry.name, ...(entry.aliases ?? [])];
  const holding = entries.filter((entry) => namesOf(entry).some((name) => (score(query, name) ?? 0) > HOLDS));
  if (query === '' || holding.length > 0)
    return { entries: ranked(query, query === '' ? entries : holding, namesOf), chosen: true };
  const loose = ranked(query, entries, namesOf);
  const near = nearNames(query, entries.flatMap(namesOf)).flatMap(
    (name) => entries.find((entry) => namesOf(entry).includes(name)) ?? [],
  );
  return { entries: [...new Set([...near, ...loose])], chosen: false };
}

/** Letters are commands: nothing is completed. */
const isCommanding = ({ vim }: Prompt): boolean => vim !== undefined && vim.mode !== 'insert';

/** True where menus keep out of the way. */
export const isQuiet = (prompt: Prompt): boolean =>
  prompt.shell ||
  prompt.browsing !== undefined ||
  prompt.dismissed === prompt.buffer.text ||
  isCommanding(prompt);

/** The menu of commands or of a command's arguments that belongs to the text, and the hint behind it. */
export function withSlashMenu(prompt: Prompt, entries: readonly SlashEntry[]): Prompt {
  const { text, caret } = prompt.buffer;
  const called = /^\/(\S+) ([^\n]*)$/.exec(text);
  const entry = called && caret === text.length ? entryOf(called[1] ?? '', entries) : undefined;
  const ghost = entry?.argumentHint !== undefined && called?.[2] === '' ? entry.argumentHint : undefined;
  const menu = isQuiet(prompt) ? undefined : (nameMenu(prompt, entries) ?? argumentMenu(prompt, entry));
  if (menu === undefined && prompt.menu?.kind === 'mention') return { ...prompt, ghost };
  return { ...prompt, menu, ghost };
}

const entryOf = (name: string, entries: readonly SlashEntry[]): SlashEntry | undefined =>
  entries.find((entry) => entry.name === name || entry.aliases?.includes(name));

function nameMenu(prompt: Prompt, entries: readonly SlashEntry[]): Menu | undefined {
  const query = slashAt(prompt.buffer.text, prompt.buffer.caret);
  if (query === undefined) return undefined;
  if (prompt.menu?.kind === 'slash' && prompt.menu.query === query) return prompt.menu;
  // A path is none, unless it leads to a skill of a folder.
  if (query.includes('/') && !entries.some(({ name }) => name.startsWith(query))) return undefined;
  const found = slashMatches(query, entries);
  return { kind: 'slash', query, entries: found.entries, index: found.chosen ? 0 : -1 };
}

/** Values of what follows; none is chosen, so that Enter sends what was typed. */
function argumentMenu(prompt: Prompt, entry: SlashEntry | undefined): Menu | undefined {
  const { text } = prompt.buffer;
  const values = entry?.complete?.() ?? [];
  if (!entry || values.length === 0) return undefined;
  const from = text.indexOf(' ') + 1;
  const query = text.slice(from);
  if (prompt.menu?.kind === 'argument' && prompt.menu.query === query) return prompt.menu;
  const found = ranked(query, values, (value) => [value]);
  if (found.length === 0 || (found.length === 1 && found[0] === query)) return undefined;
  return {
    kind: 'argument',
    query,
    from,
    entries: found.map((value) => ({ insert: value, label: value })),
    index: -1,
  };
}
