import { list, reasons } from './option-tables.ts';
import type { OptionShape } from './options.ts';

/** How a tool that works on files reads its command line. */
export interface FileTool extends OptionShape {
  /** What operands are. `pattern`: the first is a pattern unless given by option. `last`: the last is written. */
  readonly operands: 'read' | 'write' | 'none' | 'pattern' | 'last' | 'second' | 'both' | 'move';
  /** Options that run something, write or reach elsewhere. */
  readonly danger?: Readonly<Record<string, string>>;
  readonly safe?: readonly string[];
  readonly readOption?: readonly string[];
  readonly writeOption?: readonly string[];
  /** Options that make the last operand the copy itself, never a folder for it. */
  readonly ontoOption?: readonly string[];
  /** Options that give the pattern, so that no operand is one. */
  readonly patternOption?: readonly string[];
  /** Options that make it read everything below. */
  readonly deepOption?: readonly string[];
  readonly readOnly?: boolean;
  readonly tolerant?: boolean;
  readonly writer?: boolean;
  readonly editor?: boolean;
}

const ls: FileTool = {
  operands: 'read',
  readOnly: true,
  short: 'ITw',
  long: list(
    '--block-size --color --format --hide --ignore --indicator-style --quoting-style --sort --tabsize --time --time-style --width',
  ),
};
const plain: FileTool = { operands: 'read', readOnly: true };
const sum: FileTool = { operands: 'read', readOnly: true, long: [] };
const head: FileTool = {
  operands: 'read',
  readOnly: true,
  short: 'nc',
  long: list('--lines --bytes --pid --sleep-interval --max-unchanged-stats'),
};
const grep: FileTool = {
  operands: 'pattern',
  readOnly: true,
  short: 'ABCDdefm',
  long: list(
    '--after-context --before-context --context --devices --directories --exclude --exclude-dir --exclude-from --file --include --label --max-count --regexp --binary-files --group-separator',
  ),
  readOption: list('-f --file --exclude-from'),
  patternOption: list('-e -f --regexp --file'),
  deepOption: list('-r -R --recursive --dereference-recursive'),
  danger: reasons('-R --dereference-recursive: follows links out of the folder'),
};
const noOperands: FileTool = { operands: 'none', readOnly: true, tolerant: true };
const make: FileTool = { operands: 'write', writer: true, editor: true };

/** Tools whose operands are files. Read-only ones form the built-in set (printed in the documentation). */
export const fileTools: Readonly<Record<string, FileTool>> = {
  ls,
  dir: ls,
  cat: plain,
  head,
  tail: { ...head, short: 'ncs', tolerant: false },
  wc: {
    ...plain,
    tolerant: true,
    long: ['--files0-from'],
    danger: reasons('--files0-from: reads a list of files'),
  },
  stat: { ...plain, short: 'c', long: ['--format', '--printf'] },
  file: {
    ...plain,
    short: 'eFmPf',
    danger: reasons(
      '-C --compile: writes a compiled magic file; -f --files-from: reads a list of files; -m --magic-file: reads a magic file; -S --no-sandbox: switches its own sandbox off; -z -Z --uncompress --uncompress-noreport: runs decompressors',
    ),
  },
  du: {
    ...plain,
    short: 'BdtX',
    long: list('--block-size --max-depth --threshold --exclude --exclude-from --files0-from --time-style'),
    danger: reasons(
      '--files0-from -X --exclude-from: reads a list of files; -L --dereference: follows links out of the folder',
    ),
  },
  cut: {
    ...plain,
    short: 'bcdf',
    long: list('--bytes --characters --delimiter --fields --output-delimiter'),
  },
  nl: { ...plain, short: 'bdfhilnsvw' },
  tac: { ...plain, short: 's', long: ['--separator'] },
  rev: plain,
  comm: { ...plain, long: ['--output-delimiter'] },
  cmp: { ...plain, short: 'in', long: ['--ignore-initial', '--bytes'] },
  diff: {
    ...plain,
    short: 'CFILSUWXx',
    long: list(
      '--context --unified --exclude --exclude-from --from-file --to-file --starting-file --label --width --ignore-matching-lines --show-function-line --color --palette --line-format --tabsize --horizon-lines',
    ),
    readOption: list('-X --exclude-from --from-file --to-file -S --starting-file'),
    deepOption: ['-r', '--recursive'],
  },
  md5sum: sum,
  sha1sum: sum,
  sha256sum: sum,
  sha512sum: sum,
  b2sum: sum,
  cksum: sum,
  readlink: plain,
  realpath: { ...plain, long: ['--relative-to', '--relative-base'] },
  tr: { operands: 'none', readOnly: true },
  basename: noOperands,
  dirname: noOperands,
  seq: { ...noOperands, short: 'fs', long: ['--format', '--separator'] },
  sleep: noOperands,
  true: noOperands,
  false: noOperands,
  ':': noOperands,
  exit: noOperands,
  pwd: noOperands,
  which: { operands: 'none', readOnly: true },
  whoami: noOperands,
  id: { operands: 'none', readOnly: true },
  uname: { operands: 'none', readOnly: true },
  nproc: { operands: 'none', readOnly: true },
  date: {
    operands: 'none',
    readOnly: true,
    short: 'dfrs',
    long: list('--date --file --reference --set'),
    danger: reasons('-s --set: sets the clock; -f --file: reads a file'),
  },
  grep,
  egrep: grep,
  fgrep: grep,
  sort: {
    ...plain,
    short: 'kStT',
    long: list(
      '--batch-size --buffer-size --compress-program --field-separator --files0-from --key --output --parallel --random-source --sort --temporary-directory',
    ),
    danger: reasons(
      '-o --output: writes a file; --compress-program: runs a program; --files0-from: reads a list of files; -T --temporary-directory: writes temporary files; --random-source: reads a file',
    ),
  },
  uniq: {
    operands: 'second',
    readOnly: true,
    short: 'fsw',
    long: list('--skip-fields --skip-chars --check-chars'),
  },
  tree: {
    ...plain,
    short: 'LPIoHT',
    danger: reasons(
      '-o: writes a file; -R: writes files; -l: follows links out of the folder; --fromfile: reads a list of files',
    ),
  },
  // From here on nothing is in the read-only set.
  less: {
    operands: 'read',
    short: 'bhjkoOpPtTxyz',
    danger: reasons(
      '-o -O --log-file --LOG-FILE: writes a file; -k --lesskey-file --lesskey-src: reads key bindings that can run programs; --lesskey-content: sets key bindings that can run programs; -t --tag -T --tag-file: reads a tag file',
    ),
  },
  more: { operands: 'read', short: 'n' },
  tee: { operands: 'write', writer: true, short: '' },
  touch: { ...make, short: 'drt', long: list('--date --reference --time') },
  mkdir: { ...make, short: 'm', long: ['--mode'] },
  rm: { ...make },
  rmdir: { ...make },
  unlink: { operands: 'write', writer: true },
  shred: { operands: 'write', writer: true, short: 'ns' },
  truncate: { operands: 'write', writer: true, short: 'rs', long: ['--reference', '--size'] },
  chmod: { operands: 'write', writer: true },
  chown: { operands: 'write', writer: true },
  mv: {
    operands: 'move',
    writer: true,
    editor: true,
    short: 'tS',
    long: ['--target-directory', '--suffix'],
    writeOption: ['-t', '--target-directory'],
    ontoOption: ['-T', '--no-target-directory'],
  },
  cp: {
    deepOption: list('-r -R -a --recursive --archive'),
    operands: 'last',
    writer: true,
    editor: true,
    short: 'tS',
    long: list('--target-directory --suffix --no-preserve --sparse'),
    writeOption: ['-t', '--target-directory'],
    ontoOption: ['-T', '--no-target-directory'],
  },
  ln: {
    operands: 'both',
    writer: true,
    short: 'tS',
    long: ['--target-directory', '--suffix'],
    writeOption: ['-t', '--target-directory'],
  },
  install: {
    operands: 'last',
    writer: true,
    short: 'gmotS',
    long: list('--group --mode --owner --target-directory --strip-program'),
    writeOption: ['-t', '--target-directory'],
    danger: reasons('--strip-program: runs a program; -s: runs strip'),
  },
  xxd: { operands: 'second', short: 'clsgoRn', danger: reasons('') },
  od: { operands: 'read', short: 'AjNStw' },
  hexdump: { operands: 'read', short: 'efns' },
  strings: { operands: 'read', short: 'entT' },
  base64: {
    operands: 'read',
    short: 'wioD',
    long: list('--wrap --input --output'),
    readOption: ['-i', '--input'],
    danger: reasons('-o --output: writes a file'),
  },
  base32: { operands: 'read', short: 'w', long: ['--wrap'] },
  paste: { operands: 'read', short: 'd' },
  join: { operands: 'read', short: '12aejotv' },
  fold: { operands: 'read', short: 'w' },
  fmt: { operands: 'read', short: 'wgp' },
  column: { operands: 'read', short: 'cosNRHTEOrpinW' },
  expand: { operands: 'read', short: 't' },
  split: {
    operands: 'second',
    short: 'abClnt',
    long: list(
      '--suffix-length --bytes --line-bytes --lines --number --filter --additional-suffix --separator',
    ),
    danger: reasons('--filter: runs a command'),
  },
  csplit: {
    operands: 'read',
    short: 'fbn',
    danger: reasons('-f --prefix: chooses where files are written'),
  },
  bat: { operands: 'read', short: 'lHrpm', danger: reasons('--pager: runs a program') },
  zcat: { operands: 'read' },
  gzip: { operands: 'write', short: 'S', writer: true },
  gunzip: { operands: 'write', short: 'S', writer: true },
  bzip2: { operands: 'write', writer: true },
  xz: { operands: 'write', short: 'FTCM', writer: true },
  dd: { operands: 'none' },
  iconv: { operands: 'read', short: 'fto', danger: reasons('-o --output: writes a file') },
  yq: {
    operands: 'pattern',
    short: 'opIP',
    danger: reasons('-i --inplace --in-place: edits the file in place'),
  },
  jq: {
    operands: 'pattern',
    short: 'LfF',
    long: list('--arg --argjson --slurpfile --rawfile --from-file --indent --args --jsonargs'),
    patternOption: ['-f', '--from-file'],
    readOption: list('-f --from-file --slurpfile --rawfile'),
  },
};
