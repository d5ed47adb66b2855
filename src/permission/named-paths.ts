import type { Unit } from './bash-units.ts';
import { list } from './option-tables.ts';
import { baseName, type ShellWord } from './shell-command.ts';
import { hasWildcard } from './wildcard.ts';

/** Lists of places to look in, by the names of their variables: naming a folder there changes nothing in it. */
const SEARCHED = /PATH$|^(CDPATH|MANPATH)$/;

/** What a text says when it may change files; program text that says none of it only reads. */
const CHANGES =
  /writ|append|unlink|remov|delet|\brm|renam|replac|mkdir|mkdtemp|copy|\bcp|\bmove|truncat|chmod|chown|link|touch|exec|system|spawn|popen|subprocess|chdir|pipeline|save|dump|["'][rwax]\+?b?\+?["']/i;

/**
 * Paths that the words of one command name, as far as they are known, in whatever form: operands, values of options
 * (`--prefix=/x`, `-C/x`), of settings (`DESTDIR=/x`), parts of lists (`/x:/y`), strings in program text. What
 * the command is known to only read is left out.
 */
export const namedPaths = ({ command, facts, children }: Unit): readonly string[] => {
  // Its own words are those of what it runs.
  if (facts.wrapper !== undefined && children.length > 0) return [];
  const name = baseName(command.words[0]?.pattern ?? '');
  const read = new Set(onlyReads(name, command.words) ? facts.reads.map(({ word }) => word.pattern) : []);
  const words = command.words.filter(({ pattern }) => !read.has(pattern)).flatMap(pathsIn);
  const values = command.assigns
    .filter((assign) => !SEARCHED.test(assign.name))
    .flatMap(({ value }) => pathsIn(value));
  return [...words, ...values, ...(facts.hints ?? []).filter(isPath)];
};

/** A unit and everything below it; not what stands in program text that only reads. */
export const mayRun = (units: readonly Unit[]): readonly Unit[] =>
  units.flatMap((unit) => {
    const { code = [] } = unit.facts;
    const reads = code.length > 0 && !code.some((text) => CHANGES.test(text));
    return reads
      ? [{ ...unit, facts: { ...unit.facts, hints: [] } }]
      : [unit, ...mayRun(unit.children), ...mayRun(unit.shadows)];
  });

/** Commands that change nothing of what they are known to read. */
const READERS: ReadonlySet<string> = new Set(
  list('cp scp ln install dd curl wget git tar sed gsed awk gawk mawk zip sort rg less file tree du jq'),
);

const onlyReads = (name: string, words: readonly ShellWord[]): boolean => {
  if (name === 'tar') return /^-{0,2}(\w*[ctd]\w*|create|list|diff)$/.test(words[1]?.pattern ?? '');
  if (name === 'git') return !words.some(({ pattern }) => pattern === 'worktree');
  return READERS.has(name);
};

const isPath = (text: string): boolean => /^(\/|~\/|~$|\.\.(\/|$))|\/\.\.(\/|$)/.test(text);

const pathsIn = ({ pattern }: ShellWord): readonly string[] => {
  if (/\s/.test(pattern) && !pattern.startsWith('/')) return [];
  const value = pattern.replace(/^(--?[\w-]+|\w+)=/, '').replace(/^-[A-Za-z](?=[/~.])/, '');
  return [value, ...value.split(/[:,]/)].flatMap((one) => knownPart(one) ?? []).filter(isPath);
};

/** A path up to the folder in which file names decide or text is not known; undefined where nothing is known. */
export const knownPart = (pattern: string): string | undefined => {
  if (!hasWildcard(pattern)) return pattern === '' ? undefined : pattern;
  const known = pattern.slice(0, pattern.search(/[\uE000-\uE002]/));
  return known.includes('/') ? known.slice(0, known.lastIndexOf('/') + 1) : undefined;
};
