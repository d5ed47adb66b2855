/** What git changes for all checkouts of a repository at once: other branches, stashes, configuration, objects. */
import { valueOptions } from './git-options.ts';
import { list } from './option-tables.ts';
import { scanOptions } from './options.ts';
import type { ShellWord } from './shell-command.ts';

interface Call {
  readonly operands: readonly string[];
  /** Names alone; a long one may be abbreviated. */
  has(...names: readonly string[]): boolean;
}

const REFS = 'branches and tags belong to all checkouts';
const CONFIG = 'the configuration belongs to all checkouts';
const STASHES = 'the stashes of all checkouts are one list';
const OBJECTS = 'what it cleans up belongs to all checkouts';
const TREES = 'it works on other checkouts';

const first = ({ operands }: Call, words: string): boolean => list(words).includes(operands[0] ?? '');

/** `HEAD:main` writes main; where origin has its branches does not count. */
const writesRef = (spec: string): boolean => {
  const to = spec.includes(':') ? spec.slice(spec.indexOf(':') + 1) : '';
  return to !== '' && !to.startsWith('refs/remotes/');
};

const isHere = (place: string): boolean => /^(\.|\.\.?\/.*|\.\.|\/.*|~.*|file:.*)$/.test(place);

/** By subcommand: why it reaches beyond the checkout that it runs in, or undefined. */
const reaching: Readonly<Record<string, (call: Call) => string | false>> = {
  'update-ref': (call) => (call.operands[0] !== 'HEAD' || call.has('--stdin')) && REFS,
  'symbolic-ref': (call) =>
    (call.operands.length > 1 || call.has('-d', '--delete')) && call.operands[0] !== 'HEAD' && REFS,
  branch: (call) =>
    (call.has('-f', '--force', '-d', '-D', '--delete', '-M', '-C') ||
      (call.has('-m', '--move') && call.operands.length > 1)) &&
    REFS,
  checkout: (call) => call.has('-B') && REFS,
  switch: (call) => call.has('-C', '--force-create') && REFS,
  tag: (call) => call.has('-d', '--delete', '-f', '--force') && REFS,
  rebase: (call) => call.has('--update-refs') && REFS,
  push: (call) => call.operands.slice(0, 1).some(isHere) && REFS,
  fetch: (call) => call.operands.slice(1).some(writesRef) && REFS,
  pull: (call) => call.operands.slice(1).some(writesRef) && REFS,
  replace: () => REFS,
  'filter-branch': () => REFS,
  'fast-import': () => REFS,
  config: (call) =>
    !call.has('--worktree', '--global', '--system', '--file', '-f') && writesConfig(call) && CONFIG,
  remote: (call) => first(call, 'add remove rm rename set-url set-branches set-head prune') && CONFIG,
  stash: (call) => first(call, 'drop clear') && STASHES,
  worktree: (call) => first(call, 'remove prune move repair unlock') && TREES,
  reflog: (call) => first(call, 'expire delete') && OBJECTS,
  gc: () => OBJECTS,
  prune: () => OBJECTS,
  'prune-packed': () => OBJECTS,
  maintenance: () => OBJECTS,
  repack: (call) => call.has('-d', '-a', '-A') && OBJECTS,
};

const READS = list('--get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --list -l');

const writesConfig = (call: Call): boolean =>
  !call.has(...READS) &&
  !first(call, 'get list') &&
  (call.operands.length > 1 || call.has('--unset', '--unset-all', '--edit', '-e', '--remove-section'));

/** For the words of a git command without its global options: what of it is not this checkout's alone. */
export const sharedByAll = (words: readonly ShellWord[]): string | undefined => {
  const [, sub, ...args] = words;
  const name = sub?.pattern ?? '';
  const judge = Object.hasOwn(reaching, name) ? reaching[name] : undefined;
  if (!judge) return undefined;
  const { options, operands } = scanOptions(args, valueOptions(name));
  const has: Call['has'] = (...names) =>
    options.some((option) =>
      names.some(
        (one) => one === option.name || (/^--\w{2}/.test(option.name) && one.startsWith(option.name)),
      ),
    );
  const why = judge({ operands: operands.map(({ pattern }) => pattern), has });
  return why === false ? undefined : `git ${name}: ${why}`;
};
