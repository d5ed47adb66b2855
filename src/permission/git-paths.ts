import type { PathUse } from './command-facts.ts';
import type { ShellWord } from './shell-command.ts';

/** `:(top)a`, `:/a`, `:!a` without what git reads before the name. */
const plainPathspec = (word: ShellWord): ShellWord => ({
  ...word,
  pattern: word.pattern.replace(/^:(\([^)]*\)|[/!^]+:?)/, ''),
});

/** No branch has a part that begins with a dot: such a word is a file. */
const onlyPath = ({ pattern }: ShellWord): boolean => /(^|\/)\.[^/.]/.test(pattern);

/** The files and folders of the checkout that a git command names and changes. */
export const gitWrites = (
  subcommand: string,
  operands: readonly ShellWord[],
  beforeDashes: number,
): readonly PathUse[] =>
  changed(subcommand, operands, beforeDashes).map((word) => ({
    word: plainPathspec(word),
    // `git checkout -- .` brings back what git knows.
    folder: true,
  }));

const changed = (
  subcommand: string,
  operands: readonly ShellWord[],
  beforeDashes: number,
): readonly ShellWord[] => {
  switch (subcommand) {
    case 'checkout':
      return beforeDashes < operands.length
        ? operands.slice(beforeDashes)
        : operands.filter((word, index) => index > 0 || onlyPath(word));
    case 'restore':
    case 'rm':
    case 'mv':
      return operands;
    case 'init':
      return operands.slice(0, 1);
    case 'clone':
      return operands.slice(1, 2);
    case 'worktree':
      return operands[0]?.pattern === 'add' ? operands.slice(1, 2) : [];
    default:
      return [];
  }
};
