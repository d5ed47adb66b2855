import type { CommandFacts } from './command-facts.ts';
import { anywhere, perSubcommand, subcommands, valueOptions } from './git-options.ts';
import { gitWrites } from './git-paths.ts';
import { list } from './option-tables.ts';
import { lookUp, scanOptions } from './options.ts';
import type { ShellCommand, ShellWord } from './shell-command.ts';

const globalsWithValue = list(
  '-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source --exec-path',
);
const harmlessGlobals = new Set(
  list(
    '--no-pager -P --no-optional-locks --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-lazy-fetch --no-advice --version -v --help -h --html-path --man-path --info-path --exec-path --bare',
  ),
);

/** Splits `git [global options] subcommand ...`. */
const splitGlobals = (args: readonly ShellWord[]) => {
  const hazards: string[] = [];
  const folders: ShellWord[] = [];
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at];
    const text = word?.pattern ?? '';
    if (!word || !text.startsWith('-')) break;
    const name = text.split('=')[0] ?? text;
    const value = text.includes('=') ? { ...word, pattern: text.slice(name.length + 1) } : args[at + 1];
    if (name === '-C') {
      if (value) folders.push(value);
      at++;
    } else if (name === '-c' || text.startsWith('-c')) {
      hazards.push('-c sets configuration that can name programs');
      if (text === '-c') at++;
    } else if (name === '-p' || name === '--paginate') hazards.push(`${name} runs the pager`);
    else if (globalsWithValue.includes(name) && (text.includes('=') || name !== '--exec-path')) {
      hazards.push(`${name} points git at other configuration or programs`);
      if (!text.includes('=')) at++;
    } else if (name === '--bare') hazards.push('--bare takes the folder itself as repository');
    else if (!harmlessGlobals.has(name)) hazards.push(`${name} is not an option known here`);
  }
  return { hazards, folders, rest: args.slice(at) };
};

/** git: options that run programs or write elsewhere, before and after the subcommand (security 2.3). */
export const gitFacts = (command: ShellCommand): CommandFacts => {
  const { hazards, folders, rest } = splitGlobals(command.words.slice(1));
  const name = rest[0];
  const git = command.words[0];
  if (!name || !git) return { hazards, reads: folders.map((word) => ({ word })), writes: [] };
  const sub = name.pattern;
  const args = rest.slice(1);
  const own = perSubcommand[sub] ?? {};
  const { options, operands, places, ended } = scanOptions(args, valueOptions(sub));
  const dashes = args.findIndex(({ pattern }) => pattern === '--');
  const beforeDashes = places.filter((place) => dashes < 0 || place < dashes).length;
  const writes = gitWrites(sub, operands, beforeDashes).map(({ word, folder }) => ({
    word: below(folders, word),
    folder,
  }));
  const all = [...hazards];
  if (name.kind === 'fixed' && !subcommands.has(sub))
    all.push(`git ${sub} is not a subcommand known here; it may be an alias that runs a program`);
  if (own.always) all.push(`git ${sub} ${own.always}`);
  for (const { name: option, value } of options) {
    const reason =
      lookUp(option, own.danger ?? {}, own.safe) ??
      lookUp(option, anywhere, [...safeAnywhere, ...(own.safe ?? [])]);
    if (reason) all.push(`${option} ${reason}`);
    if (option === '--format' || option === '--pretty') {
      if (/%G/.test(value?.pattern ?? '')) all.push('%G runs the signature program');
    }
  }
  all.push(
    ...(own.check?.(
      operands.map(({ pattern }) => pattern),
      options.map(({ name }) => name),
    ) ?? []),
  );
  for (const { pattern } of operands) {
    if (/^(?!https?:|ssh:|git:|file:)[a-z0-9+.-]+::/i.test(pattern))
      all.push(`${pattern} names a transport program`);
  }
  const named = [
    ...(printing.has(sub) ? operands.map(afterColon) : operands.flatMap(pathLike)),
    ...options.flatMap(({ name, value }) => (value && !proseOptions.has(name) ? pathLike(value) : [])),
  ];
  const hints = [
    ...command.words.flatMap(({ pattern }) => /alias\.[^=]*=!([\s\S]*)/.exec(pattern)?.[1] ?? []),
    ...options.flatMap(({ name, value }) =>
      value && (name === '-x' || /^--.*(exec|filter|cmd)/.test(name)) ? [value.pattern] : [],
    ),
    ...(['foreach', 'run'].includes(operands[0]?.pattern ?? '')
      ? [
          args
            .slice(1)
            .map(({ pattern }) => pattern)
            .join(' '),
        ]
      : []),
  ];
  return {
    hints,
    hazards: all,
    // Whatever looks like a path is one: outside the workspace lies foreign configuration.
    reads: [...folders, ...named.map((word) => below(folders, word))].map((word) => ({ word })),
    writes,
    writer: writes.length > 0,
    gitReadOnly:
      all.length === 0 &&
      own.readOnly?.(
        operands.map(({ pattern }) => pattern),
        options.map(({ name }) => name),
      ) === true,
    globSafe: ended || list('add status ls-files').includes(sub),
    plainWords: [git, ...rest],
  };
};

const safeAnywhere = list(
  '--no-ext-diff --no-textconv --output-indicator-new --output-indicator-old --output-indicator-context --exec-path --index --text --tag',
);

/** Options whose value is prose, never a path. */
const proseOptions: ReadonlySet<string> = new Set(
  list('-m --message --author --date --grep --format --pretty -S -G --trailer --since --until -e'),
);
/** Subcommands that print the content of what they name. */
const printing: ReadonlySet<string> = new Set(
  list('show diff blame annotate log grep cat-file archive whatchanged'),
);

const pathLike = (word: ShellWord): readonly ShellWord[] => {
  const text = word.pattern.replace(/^file:\/\//, '');
  const path = text.includes('=') ? text.slice(text.indexOf('=') + 1) : text;
  return /^(\/|~|\.{1,2}(\/|$))|\/\.\.(\/|$)/.test(path) ? [{ ...word, pattern: path }] : [];
};

/** `HEAD:.env` names the file `.env`. */
const afterColon = (word: ShellWord): ShellWord => {
  const [path] = pathLike(word);
  if (path) return path;
  return { ...word, pattern: word.pattern.slice(word.pattern.lastIndexOf(':') + 1) };
};

/** Relative names count from the folder that -C goes to. */
const below = (folders: readonly ShellWord[], word: ShellWord): ShellWord => {
  if (folders.length === 0 || /^[/~]/.test(word.pattern)) return word;
  return { ...word, pattern: [...folders, word].map(({ pattern }) => pattern).join('/') };
};
