import type { CommandFacts, PathUse } from './command-facts.ts';
import { list } from './option-tables.ts';
import { type Option, scanOptions } from './options.ts';
import type { ShellWord } from './shell-command.ts';

/**
 * What an unpacking command writes, as far as its words say: the members it names, below the folders it names. What else
 * stands in an archive or a patch is left to whoever wrote the rule for the tool (security 2.1.3).
 */
type Unpacked = Pick<CommandFacts, 'hazards' | 'writes'>;

const nothing: Unpacked = { hazards: [], writes: [] };

const writing = (members: readonly ShellWord[], into: readonly ShellWord[]): readonly PathUse[] => {
  const below = ({ pattern }: ShellWord, word: ShellWord) => ({
    ...word,
    pattern: `${pattern}/${word.pattern}`,
  });
  const inside = into.flatMap((folder) => members.map((word) => below(folder, word)));
  return [...into, ...(into.length > 0 ? inside : members)].map((word) => ({ word, folder: true }));
};

const has = (options: readonly Option[], names: string): boolean =>
  options.some(({ name }) =>
    list(names).some((full) => full === name || (name.length > 3 && full.startsWith(name))),
  );

/** `xfC a.tar dir` as `-x -f a.tar -C dir`: old letters take their values from the words behind, in order. */
export const dashedTar = (args: readonly ShellWord[], valued: string): readonly ShellWord[] => {
  const [first, ...rest] = args;
  if (!first || !/^[a-zA-Z]+$/.test(first.pattern)) return args;
  let taken = 0;
  const letters = [...first.pattern].flatMap((letter) => {
    const option = { ...first, pattern: `-${letter}` };
    const value = valued.includes(letter) ? rest[taken++] : undefined;
    return value ? [option, value] : [option];
  });
  return [...letters, ...rest.slice(taken)];
};

export const tarUnpacks = (options: readonly Option[], operands: readonly ShellWord[]): Unpacked => {
  const extracts = has(options, '-x --extract --get') && !has(options, '-O --to-stdout');
  if (!extracts) return nothing;
  const folders = options.flatMap(({ name, value }) =>
    value && (name === '-C' || /^--(dir|one)/.test(name)) ? [value] : [],
  );
  return {
    hazards: has(options, '-s --transform --xform') ? ['writes under names that it makes up'] : [],
    writes: writing(operands, folders),
  };
};

export const unzipUnpacks = (options: readonly Option[], operands: readonly ShellWord[]): Unpacked => {
  if (has(options, '-l -t -p -c -v -z -Z')) return nothing;
  const into = options.flatMap(({ name, value }) => (name === '-d' && value ? [value] : []));
  return { hazards: [], writes: writing(operands.slice(1), into) };
};

const PATCH = {
  short: 'BDFVYdgioprz',
  long: list(
    '--input --output --directory --strip --reject-file --prefix --basename-prefix --suffix --fuzz --ifdef',
  ),
};

/** `patch FILE < x` changes FILE. */
const patchFacts = (args: readonly ShellWord[]): CommandFacts => {
  const { options, operands } = scanOptions(args, PATCH);
  const valuesOf = (names: string): readonly PathUse[] =>
    options.flatMap((option) => (option.value && has([option], names) ? [{ word: option.value }] : []));
  const files = has(options, '--dry-run') ? [] : operands.slice(0, 1);
  return {
    hazards: [
      ...(has(options, '-e --ed') ? ['-e runs an editor'] : []),
      ...(has(options, '-d --directory') ? ['-d works in another folder'] : []),
      ...(has(options, '-B --prefix -Y --basename-prefix -z --suffix')
        ? ['it names copies of what it changes']
        : []),
    ],
    reads: [
      ...operands.slice(1).map((word) => ({ word })),
      ...valuesOf('-i --input'),
      ...valuesOf('-d --directory'),
    ],
    writes: [...writing(files, []), ...valuesOf('-o --output'), ...valuesOf('-r --reject-file')],
    writer: true,
  };
};

const SEVEN = list('7z 7za 7zr');

/** Facts of tools that only unpack or apply; undefined if the name is none. */
export const unpackFacts = (name: string, args: readonly ShellWord[]): CommandFacts | undefined => {
  if (name === 'patch') return patchFacts(args);
  if (!SEVEN.includes(name)) return undefined;
  const { operands } = scanOptions(args, {});
  const [verb, archive] = operands;
  const changes = archive && !/^(e|h|i|l|t|x)$/.test(verb?.pattern ?? '');
  return {
    hazards: args.some(({ pattern }) => /^-(o|w|sdel|sfx)./.test(`${pattern} `))
      ? ['it writes or deletes elsewhere']
      : [],
    reads: operands.map((word) => ({ word, deep: true })),
    writes: changes ? [{ word: archive }] : [],
    writer: true,
  };
};
