import { list, reasons } from './option-tables.ts';
import type { OptionShape } from './options.ts';

/** Every subcommand that ships with git and may run under a rule; anything else may be an alias. */
export const subcommands: ReadonlySet<string> = new Set(
  (
    'add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap ' +
    'check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree ' +
    'config count-objects describe diff diff-files diff-index diff-tree difftool fast-export fast-import fetch ' +
    'fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep ' +
    'hash-object help hook init init-db interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit ' +
    'maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag mktree multi-pack-index mv ' +
    'name-rev notes pack-objects pack-redundant pack-refs patch-id prune prune-packed pull push range-diff read-tree ' +
    'rebase reflog remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm send-email ' +
    'send-pack shortlog show show-branch show-index show-ref sparse-checkout stash status stripspace submodule ' +
    'switch symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info var ' +
    'verify-commit verify-pack verify-tag version whatchanged worktree write-tree lfs'
  ).split(' '),
);

/** Options that are dangerous after any subcommand. */
export const anywhere: Readonly<Record<string, string>> = reasons(
  '--output --index-output --export-marks: writes a file; --open-files-in-pager: runs the pager; --upload-pack --receive-pack --exec --upload-archive: names a program; --ext-diff: runs the external diff program; --textconv: runs conversion programs; --no-index: reads files outside the repository; --contents: reads any file; --template: installs hooks or reads any file; --show-signature: runs the signature program; --separate-git-dir: writes elsewhere; --reference --reference-if-able: reads another repository; --config: sets configuration; --tree-filter --index-filter --env-filter --msg-filter --commit-filter --parent-filter --tag-name-filter --setup --extcmd: runs a command; --subdirectory-filter: rewrites history; --gpg-sign-program: runs a program; --unsafe-paths: writes outside the repository; --import-marks: reads a file',
);

interface Subcommand {
  /** Why it asks whatever its options. */
  readonly always?: string;
  readonly danger?: Readonly<Record<string, string>>;
  readonly safe?: readonly string[];
  readonly short?: string;
  readonly long?: readonly string[];
  /** Operands that ask. */
  readonly check?: (operands: readonly string[], options: readonly string[]) => readonly string[];
  /** In the read-only set with these operands and options (names only). */
  readonly readOnly?: (operands: readonly string[], options: readonly string[]) => boolean;
}

const always = (why: string): Subcommand => ({ always: why });
const yes = () => true;
/** Inside a submodule git runs what the configuration of that names. */
const staysOutside = (_: readonly string[], options: readonly string[]) =>
  !options.some((name) => /^--(subm|ignore-s)/.test(name));
const diffValues = {
  short: 'SGnLUOlIX',
  long: list(
    '--format --pretty --author --grep --since --until --after --before --max-count --skip --diff-filter --unified --date --output --word-diff-regex --stat-width --inter-hunk-context',
  ),
};
const diffDanger = { '-O': 'reads an order file' };

const configReads = list('--get --get-all --get-regexp --get-urlmatch --list -l --get-color --get-colorbool');
const configRest =
  /^(--(global|local|system|worktree|show-origin|show-scope|name-only|null|includes|no-includes|type|bool|int|path|default|all|fixed-value|bool-or-int|get.*|list)|-[lz])$/;

/** What each subcommand adds to the general table. */
export const perSubcommand: Readonly<Record<string, Subcommand>> = {
  status: { readOnly: staysOutside, short: 'u' },
  log: { ...diffValues, danger: diffDanger, readOnly: staysOutside },
  diff: { ...diffValues, danger: diffDanger, readOnly: staysOutside },
  show: { ...diffValues, danger: diffDanger, readOnly: staysOutside },
  'rev-parse': {
    readOnly: (_, options) => !options.some((name) => /^--(parseopt|sq-quote)$/.test(name)),
    long: list('--default --prefix --path-format'),
  },
  'ls-files': {
    short: 'xX',
    danger: reasons('-X --exclude-from: reads an exclude file'),
    long: list('--exclude --exclude-from --exclude-per-directory'),
    readOnly: yes,
  },
  blame: {
    short: 'LCMS',
    danger: reasons('-S --ignore-revs-file: reads a file'),
    readOnly: yes,
  },
  branch: {
    short: 'u',
    long: list(
      '--list --contains --no-contains --merged --no-merged --points-at --sort --format --set-upstream-to',
    ),
    danger: reasons('--edit-description: runs the editor'),
    readOnly: (operands, options) =>
      options.every((name) =>
        /^(-[arvqi]|--(list|all|remotes|verbose|show-current|contains|no-contains|merged|no-merged|points-at|sort|format|column|no-column|color|no-color|abbrev|no-abbrev|ignore-case))$/.test(
          name,
        ),
      ) &&
      (operands.length === 0 || options.includes('--list')),
  },
  grep: {
    short: 'ABCefm',
    danger: reasons('-O: runs the pager; -f: reads a pattern file'),
    safe: ['--ext-grep'],
  },
  rebase: {
    short: 'xsX',
    danger: reasons('-x: runs a command; -i --interactive --edit-todo: runs the editor'),
  },
  difftool: always('runs a program'),
  mergetool: always('runs a program'),
  'filter-branch': always('runs commands'),
  'send-email': always('sends files away'),
  hook: always('runs a hook'),
  help: always('opens a viewer'),
  'for-each-repo': always('runs commands'),
  'request-pull': always('reaches elsewhere'),
  maintenance: always('installs scheduled jobs'),
  'merge-index': always('runs a program'),
  'fast-import': always('writes objects and marks'),
  lfs: always('runs another program'),
  bisect: {
    check: (operands) =>
      operands[0] === 'run' ||
      operands[0] === 'visualize' ||
      operands[0] === 'view' ||
      operands[0] === 'replay'
        ? [`bisect ${operands[0]} runs a command`]
        : [],
  },
  submodule: {
    check: (operands) =>
      list('foreach update add sync set-url').includes(operands[0] ?? '')
        ? [`submodule ${operands[0]} runs commands or fetches other code`]
        : [],
  },
  config: {
    check: (operands, options) => {
      const modern = ['get', 'list'].includes(operands[0] ?? '');
      const old = options.some((name) => configReads.includes(name));
      const single =
        operands.length === 1 &&
        !list('set unset edit rename-section remove-section').includes(operands[0] ?? '');
      const known = options.every((name) => configRest.test(name));
      return known && (modern || old || single) ? [] : ['git config may change what later runs'];
    },
  },
  remote: {
    check: (operands) =>
      list('add set-url rename').includes(operands[0] ?? '') ? ['git remote changes where code goes'] : [],
  },
  clone: {
    short: 'bjocu',
    long: list('--branch --depth --origin --jobs'),
    danger: reasons(
      '-u: names a program; -c: sets configuration; --recurse-submodules --recursive: fetches other code',
    ),
  },
  init: { short: 'b', long: ['--initial-branch'] },
  archive: {
    short: 'o',
    danger: reasons('-o: writes a file; --remote: reaches elsewhere; --add-file: reads any file'),
  },
  'format-patch': {
    short: 'on',
    danger: reasons('-o --output-directory: writes elsewhere; --signature-file: reads a file'),
  },
  bundle: { check: (operands) => (operands[0] === 'create' ? ['bundle create writes a file'] : []) },
  apply: { short: 'pC', danger: reasons('--directory: chooses where files are written') },
  mktree: always('builds a tree by hand'),
  'read-tree': always('takes a tree that may be built by hand'),
  checkout: { short: 'bB', long: list('--orphan --conflict --pathspec-from-file') },
  restore: { short: 's', long: list('--source --conflict --pathspec-from-file') },
  clean: { short: 'e' },
  'checkout-index': { danger: reasons('--prefix: chooses where files are written') },
  commit: {
    short: 'mFCct',
    long: list(
      '--message --file --author --date --reuse-message --fixup --squash --trailer --cleanup --reedit-message --template',
    ),
    danger: reasons(''),
  },
  tag: {
    short: 'mFunu',
    long: list('--message --file --sort --contains --points-at --merged --format --local-user'),
  },
  merge: { short: 'mFsX', long: list('--message --file --strategy --strategy-option') },
  notes: { short: 'mFC' },
  stash: { short: 'm', long: ['--message'] },
  fetch: {
    short: 'jo',
    long: list('--depth --refmap --jobs --negotiation-tip --shallow-since --server-option'),
    danger: reasons('--recurse-submodules: fetches other code'),
  },
  pull: { short: 'josX', long: list('--depth --strategy --strategy-option') },
  push: { short: 'o', long: ['--push-option', '--repo'] },
  'cat-file': { danger: reasons('--filters: runs filters; --path: chooses filters') },
  'hash-object': { danger: reasons('--path: chooses filters') },
  worktree: {
    short: 'bB',
    check: (operands) =>
      ['add', 'move'].includes(operands[0] ?? '') && operands.slice(1).some((path) => path.includes('..'))
        ? ['git worktree writes elsewhere']
        : [],
  },
  'rev-list': diffValues,
  'update-index': {
    check: (_, options) =>
      options.some((name) => /^--(cacheinfo|index-info)$/.test(name)) ? ['it writes the index by hand'] : [],
  },
};

export const valueOptions = (sub: string): OptionShape => ({
  short: perSubcommand[sub]?.short ?? 'm',
  long: [
    ...(perSubcommand[sub]?.long ?? []),
    ...Object.keys(anywhere).filter((name) =>
      /pack$|^--exec$|output|template|config|filter$|extcmd|contents/.test(name),
    ),
  ],
});
