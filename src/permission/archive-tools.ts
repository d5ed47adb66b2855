import type { CommandFacts, PathUse } from './command-facts.ts';
import { list, reasons } from './option-tables.ts';
import { lookUp, type Option, type OptionShape, scanOptions } from './options.ts';
import { fixed, type ShellCommand, type ShellWord } from './shell-command.ts';
import { dashedTar, tarUnpacks, unpackFacts, unzipUnpacks } from './unpack-tools.ts';

/** Tools with options that run commands, or that read and write folders of their own. */
interface ReachingTool extends OptionShape {
  readonly danger: Readonly<Record<string, string>>;
  readonly safe?: readonly string[];
  /** Options whose value is a folder or file that must lie inside. */
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  readonly operands?: 'read' | 'write' | 'pattern';
  readonly check?: (words: readonly string[], operands: readonly string[]) => readonly string[];
  /** What it writes that its words do not name. */
  readonly unpacks?: typeof tarUnpacks;
}

const remote = (words: readonly string[]) =>
  words.some((text) => /^[^/=]+:/.test(text)) ? ['a target on another host'] : [];

const tar: ReachingTool = {
  short: 'bCfFgHIKLNTVX',
  long: list(
    '--file --directory --files-from --exclude --exclude-from --transform --xform --strip-components --owner --group --mode --format --listed-incremental --volno-file --use-compress-program --to-command --checkpoint-action --info-script --new-volume-script --rsh-command --rmt-command',
  ),
  danger: reasons(
    '-I --use-compress-program --to-command --checkpoint-action -F --info-script --new-volume-script --rsh-command --rmt-command: runs a program; -P --absolute-names: writes outside the folder; -T --files-from: reads options from a file; --remove-files: deletes files; --index-file: writes a file; --atime-preserve: changes file times; -W --cd: takes options of other names',
  ),
  reads: ['-C', '--directory'],
  writes: list('-f --file -g --listed-incremental --volno-file'),
  operands: 'read',
  check: (words) =>
    remote(
      words.flatMap((text, index) =>
        /^(-\w*f|--file)$/.test(words[index - 1] ?? '')
          ? [text]
          : text.startsWith('--file=')
            ? [text.slice(7)]
            : [],
      ),
    ),
  unpacks: tarUnpacks,
};

const tools: Readonly<Record<string, ReachingTool>> = {
  tar,
  bsdtar: tar,
  zip: {
    short: 'bntPsx',
    long: ['--unzip-command'],
    danger: reasons(
      '-T --test: tests with a program; --unzip-command: runs a program; -m --move: deletes files',
    ),
    operands: 'write',
  },
  unzip: {
    short: 'dPx',
    danger: reasons('-:: writes outside the folder'),
    writes: ['-d'],
    unpacks: unzipUnpacks,
  },
  rsync: {
    short: 'eBfTM',
    long: list(
      '--rsh --exclude --include --exclude-from --include-from --files-from --filter --rsync-path --backup-dir --log-file --partial-dir --temp-dir --compare-dest --copy-dest --link-dest --password-file --remote-option --out-format',
    ),
    danger: reasons(
      '-e --rsh --rsync-path: runs a program; --daemon: starts a server; -M --remote-option: passes remote options; --log-file: writes a file; --backup-dir -T --temp-dir --partial-dir: writes elsewhere; --files-from: reads a list of files; --early-input: reads a file; --write-batch: writes a script; --remove-source-files --delete: deletes files',
    ),
    safe: ['--delete-before'],
    operands: 'write',
    check: (_, operands) => remote(operands),
  },
  man: {
    short: 'CLmMSserEpPRTH',
    danger: reasons(
      '-P --pager -H --html -p --preprocessor -T --troff-device -X --gxditview: runs a program; -C --config-file: reads configuration; -M --manpath: reads pages elsewhere; -l --local-file: reads a file',
    ),
  },
  rg: {
    short: 'ABCEMTdefgjmrt',
    long: list(
      '--after-context --before-context --color --colors --context --context-separator --dfa-size-limit --encoding --engine --field-context-separator --field-match-separator --file --generate --glob --hostname-bin --hyperlink-format --iglob --ignore-file --max-columns --max-count --max-depth --max-filesize --path-separator --pre --pre-glob --regex-size-limit --regexp --replace --sort --sortr --stop-on-nonmatch --threads --type --type-add --type-clear --type-not',
    ),
    danger: reasons(
      '--pre --hostname-bin -z --search-zip: runs a program; -L --follow: follows links out of the folder',
    ),
    safe: ['--pre-glob'],
    reads: list('-f --file --ignore-file'),
    operands: 'pattern',
  },
  make: {
    short: 'CfIjlOoW',
    long: list(
      '--directory --file --makefile --include-dir --jobs --old-file --what-if --eval --output-sync',
    ),
    danger: reasons('--eval -E: runs other rules; --include-dir -I: reads rules elsewhere'),
    safe: ['--environment-overrides'],
    reads: list('-C --directory -f --file --makefile'),
    check: (_, operands) =>
      operands.flatMap((text) =>
        /^[^=]+[:?+!]*=/.test(text) &&
        !/^(?!SHELL|\.SHELL|MAKE)[A-Z_]+=(\d*|yes|no|true|false|on|off|debug|release|all|none)$/.test(text)
          ? [`${text} changes what the rules run`]
          : [],
      ),
  },
  npm: {
    long: list(
      '--prefix --workspace --script-shell --userconfig --globalconfig --registry --node-options --cache',
    ),
    short: 'wC',
    danger: reasons(
      '--script-shell --git --editor --viewer --shell: runs a program; --userconfig --globalconfig: reads configuration; --node-options: loads code; --registry: takes packages from elsewhere',
    ),
    safe: ['--global'],
    reads: ['--prefix', '-C'],
  },
  pnpm: {
    long: list('--dir --prefix --filter --script-shell --registry --node-options'),
    short: 'CF',
    danger: reasons(
      '--script-shell: runs a program; --node-options --global-pnpmfile --pnpmfile: loads code; --registry: takes packages from elsewhere',
    ),
    reads: list('--dir -C --prefix'),
  },
  yarn: {
    long: list('--cwd --use-yarnrc --modules-folder --registry'),
    danger: reasons('--use-yarnrc: reads configuration; --registry: takes packages from elsewhere'),
    reads: ['--cwd'],
  },
  cargo: {
    long: list('--manifest-path --config --target-dir --package --bin'),
    short: 'CpjZ',
    danger: reasons('--config: sets configuration that can name programs; -Z: switches unstable parts on'),
    reads: ['--manifest-path', '-C'],
    writes: ['--target-dir'],
  },
  go: {
    singleDash: true,
    long: list('-exec -toolexec -modfile -overlay -C -o -run -tags -ldflags'),
    danger: reasons(
      '-exec -toolexec: runs a program; -overlay: replaces files; -modfile: reads another module file; -ldflags -gcflags: can name programs',
    ),
    reads: ['-C'],
  },
};

export const reachingFacts = (name: string, command: ShellCommand): CommandFacts | undefined => {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  const given = command.words.slice(1);
  if (!tool) return unpackFacts(name, given);
  const args = tool === tar ? dashedTar(given, tar.short ?? '') : given;
  const { options, operands } = scanOptions(args, tool);
  const unpacked = tool.unpacks?.(options, operands);
  // Words after `--` of a package runner belong to the script it runs.
  const hazards = options.flatMap((option) => {
    const reason = lookUp(option.name, tool.danger, tool.safe);
    return reason ? [`${option.name} ${reason}`] : [];
  });
  const texts = args.map(({ pattern }) => pattern);
  hazards.push(
    ...(unpacked?.hazards ?? []),
    ...(tool.check?.(
      texts,
      operands.map(({ pattern }) => pattern),
    ) ?? []),
  );
  const valuesOf = (names: readonly string[] = []): readonly PathUse[] =>
    options.flatMap((option) =>
      option.value &&
      names.some((full) => full === option.name || (option.name.length > 2 && full.startsWith(option.name)))
        ? [{ word: option.value }]
        : [],
    );
  const uses = operandUses(tool, operands);
  return {
    hazards,
    reads: [...valuesOf(tool.reads), ...(name === 'rg' ? searched(uses.reads, options) : uses.reads)],
    writes: [...valuesOf(tool.writes), ...uses.writes, ...(unpacked?.writes ?? [])],
    writer: true,
    globSafe: name === 'rg' ? false : undefined,
  };
};

/** rg searches everything below, names with a dot only when told to. */
const searched = (reads: readonly PathUse[], options: readonly Option[]): readonly PathUse[] => {
  const hidden = options.some(({ name }) => ['-u', '-.', '--hidden', '--unrestricted'].includes(name));
  return (reads.length > 0 ? reads : [{ word: fixed('.') }]).map(({ word }) => ({
    word,
    deep: true,
    hidden,
  }));
};

const operandUses = (tool: ReachingTool, operands: readonly ShellWord[]) => {
  const all = operands.filter(({ pattern }) => pattern !== '-').map((word) => ({ word, deep: true }));
  if (tool.operands === 'read') return { reads: all, writes: [] };
  if (tool.operands === 'write') return { reads: all, writes: all };
  if (tool.operands === 'pattern') return { reads: all.slice(1), writes: [] };
  return { reads: [], writes: [] };
};
