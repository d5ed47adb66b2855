import { reachingFacts } from './archive-tools.ts';
import { builtinFacts } from './builtin-tools.ts';
import { type CommandFacts, noFacts } from './command-facts.ts';
import { fileToolFacts } from './file-tools.ts';
import { findFacts } from './find-tool.ts';
import { gitFacts } from './git-tool.ts';
import { interpreterFacts, shellFacts } from './interpreter-tools.ts';
import { curlFacts, wgetFacts } from './net-tools.ts';
import { scanOptions } from './options.ts';
import { baseName, type ShellCommand } from './shell-command.ts';
import { awkFacts, sedFacts } from './text-tools.ts';
import { wrapperFacts } from './wrapper-tools.ts';

/** What one command does, as far as its words tell. Only bare names can be in the read-only set. */
export const inspect = (command: ShellCommand): CommandFacts => {
  const word = command.words[0];
  if (!word) return noFacts;
  if (word.kind !== 'fixed')
    return { ...noFacts, problems: ['a command name that is not known before it runs'] };
  const name = baseName(word.pattern);
  const facts = factsByName(name, command);
  return word.pattern === name ? facts : { ...facts, readOnly: false, gitReadOnly: false, editor: false };
};

const factsByName = (name: string, command: ShellCommand): CommandFacts => {
  const found =
    builtinFacts(name, command) ??
    wrapperFacts(name, command) ??
    shellFacts(name, command) ??
    interpreterFacts(name, command);
  if (found) return found;
  switch (name) {
    case 'git':
      return gitFacts(command);
    case 'find':
      return findFacts(command);
    case 'sed':
    case 'gsed':
      return sedFacts(command);
    case 'awk':
    case 'gawk':
    case 'mawk':
    case 'nawk':
      return awkFacts(command);
    case 'curl':
      return curlFacts(command);
    case 'wget':
      return wgetFacts(command);
    case 'dd':
      return ddFacts(command);
    default:
      return (
        fileToolFacts(name, command.words.slice(1)) ?? reachingFacts(name, command) ?? otherFacts(command)
      );
  }
};

const ddFacts = (command: ShellCommand): CommandFacts => {
  const operandOf = (key: string) =>
    command.words
      .slice(1)
      .flatMap((word) =>
        word.pattern.startsWith(`${key}=`)
          ? [{ word: { ...word, pattern: word.pattern.slice(key.length + 1) } }]
          : [],
      );
  const writes = operandOf('of');
  return { hazards: writes.length > 0 ? ['of= writes a file'] : [], reads: operandOf('if'), writes };
};

/** A tool that is not known: a rule for it is enough, but what looks like a denied file still counts. */
const otherFacts = (command: ShellCommand): CommandFacts => {
  const { operands, options } = scanOptions(command.words.slice(1), {});
  const words = [...operands, ...options.flatMap(({ value }) => (value ? [value] : []))];
  return { ...noFacts, mentions: words.filter(({ pattern }) => pattern !== '').map((word) => ({ word })) };
};
