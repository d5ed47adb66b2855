import type { CommandFacts, PathUse } from './command-facts.ts';
import { list } from './option-tables.ts';
import { type Option, scanOptions } from './options.ts';
import type { ShellWord } from './shell-command.ts';

/** What a command writes under names that stand in an archive or a patch, not in its words (security 2.1.10). */
type Unpacked = Pick<CommandFacts, 'hazards' | 'writes'>;

const nothing: Unpacked = { hazards: [], writes: [] };
const unnamed = (what: string): Unpacked => ({
  hazards: [`writes whatever files ${what} names, protected ones too`],
  writes: [],
});

/** Only these members, below this folder; undefined where a word may mean others. */
const named = (members: readonly ShellWord[], into: ShellWord | undefined): Unpacked | undefined => {
  const plain = ({ kind, pattern }: ShellWord) =>
    kind === 'fixed' && !/[*?[\\]/.test(pattern) && !/^(\.?\/*)*$/.test(pattern);
  if (members.length === 0 || !members.every(plain)) return undefined;
  const writes = members.map(
    (word): PathUse => ({
      word: into ? { ...word, pattern: `${into.pattern}/${word.pattern}` } : word,
      folder: true,
    }),
  );
  return { hazards: [], writes };
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
  const folders = options.filter(({ name }) => name === '-C' || name.startsWith('--dir'));
  const renamed = folders.length > 1 || has(options, '-s --transform --xform --strip-components --wildcards');
  const into = folders[0]?.value;
  const top = has(options, '--one-top-level');
  return (renamed || top ? undefined : named(operands, into)) ?? unnamed('the archive');
};

export const unzipUnpacks = (options: readonly Option[], operands: readonly ShellWord[]): Unpacked => {
  if (has(options, '-l -t -p -c -v -z -Z')) return nothing;
  const into = options.find(({ name }) => name === '-d')?.value;
  return (has(options, '-x -:') ? undefined : named(operands.slice(1), into)) ?? unnamed('the archive');
};

const PATCH = {
  short: 'BDFVYdgioprz',
  long: list('--input --output --directory --strip --reject-file --prefix --suffix --fuzz --ifdef'),
};

/** `patch FILE < x` changes FILE; without it the patch says what it changes. */
const patchFacts = (args: readonly ShellWord[]): CommandFacts => {
  const { options, operands } = scanOptions(args, PATCH);
  const valuesOf = (names: string): readonly PathUse[] =>
    options.flatMap((option) => (option.value && has([option], names) ? [{ word: option.value }] : []));
  const harmless = has(options, '--dry-run');
  const found = harmless ? nothing : (named(operands.slice(0, 1), undefined) ?? unnamed('the patch'));
  return {
    hazards: [
      ...found.hazards,
      ...(has(options, '-e --ed') ? ['-e runs an editor'] : []),
      ...(has(options, '-d --directory') ? ['-d works in another folder'] : []),
    ],
    reads: [
      ...operands.slice(1).map((word) => ({ word })),
      ...valuesOf('-i --input'),
      ...valuesOf('-d --directory'),
    ],
    writes: [...found.writes, ...valuesOf('-o --output'), ...valuesOf('-r --reject-file')],
    writer: true,
  };
};

/** Unpackers that are known by name alone, and when they only look. */
const unpackers: Readonly<Record<string, RegExp>> = {
  cpio: /^(--list|-\w*t\w*|-o|--create)$/,
  pax: /^-w/,
  unar: /^(-h|-v)$/,
  unrar: /^(l|lb|lt|v|vb|vt|t|p)$/,
  jar: /^-{0,2}([tcu]\w*|list|create|update)$/,
  '7z': /^([altd]|-so)$/,
  '7za': /^([altd]|-so)$/,
  '7zr': /^([altd]|-so)$/,
};

/** Facts of tools that only unpack or apply; undefined if the name is none. */
export const unpackFacts = (name: string, args: readonly ShellWord[]): CommandFacts | undefined => {
  if (name === 'patch') return patchFacts(args);
  const looks = Object.hasOwn(unpackers, name) ? unpackers[name] : undefined;
  if (!looks) return undefined;
  const { operands } = scanOptions(args, {});
  const chosen = args.some(({ pattern }) => looks.test(pattern));
  const elsewhere = args.some(({ pattern }) => /^-o./.test(pattern)) ? ['-o writes elsewhere'] : [];
  return {
    hazards: [...(chosen ? [] : unnamed('the archive').hazards), ...elsewhere],
    reads: operands.map((word) => ({ word, deep: true })),
    writes: [],
  };
};
