import type { CommandFacts } from './command-facts.ts';
import { noFacts, type ScriptText, scriptText } from './command-facts.ts';
import type { ShellCommand } from './shell-command.ts';

/** Shell built-ins that change how later commands are read or run: the script cannot be judged (security T4). */
const shellState: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'export declare typeset local readonly alias unalias trap hash enable shopt source . eval read readarray mapfile ' +
    'getopts unset let bind complete compgen compopt fc history umask ulimit caller callable dirs popd pushd exec disown suspend logout coproc times shift return'
  )
    .split(' ')
    .map((name) => [name, `the built-in ${name}`]),
);

const harmlessSet = /^([-+][euxvfC]*o?|[-+]o|pipefail|errexit|nounset|xtrace|verbose|noglob|noclobber)$/;

/** Facts of shell built-ins; undefined if the name is none. */
export const builtinFacts = (name: string, command: ShellCommand): CommandFacts | undefined => {
  const args = command.words.slice(1);
  const texts = args.map(({ pattern }) => pattern);
  switch (name) {
    case 'echo':
      return { ...noFacts, readOnly: true, tolerant: true, globSafe: true };
    case 'printf':
      return args[0]?.kind === 'fixed' && !texts[0]?.startsWith('-') && !/%[^%A-Za-z]*n/.test(texts[0] ?? '')
        ? { ...noFacts, readOnly: true, tolerant: true, globSafe: true }
        : { ...noFacts, hazards: ['printf may set a variable'] };
    case 'test':
    case '[':
      return texts.some((text) => text === '-v' || text === '-R') ||
        args.some((word, index) => word.kind === 'dynamic' && !/^"/.test(word.raw) && index === 0)
        ? { ...noFacts, hazards: ['a test that evaluates a name'] }
        : { ...noFacts, readOnly: true, tolerant: true, globSafe: true };
    case 'cd':
      return {
        hazards: [],
        reads: args.filter(({ pattern }) => !pattern.startsWith('-')).map((word) => ({ word })),
        writes: [],
        readOnly: true,
      };
    case 'type':
    case 'break':
    case 'continue':
      return { ...noFacts, readOnly: true };
    case 'jobs':
    case 'wait':
      return args.length === 0
        ? { ...noFacts, readOnly: true }
        : { ...noFacts, problems: [`the built-in ${name}`] };
    case 'set':
      return texts.length > 0 &&
        texts.every((text) => harmlessSet.test(text)) &&
        args.every(({ kind }) => kind === 'fixed')
        ? { ...noFacts, readOnly: true }
        : { ...noFacts, problems: ['the built-in set'] };
    case 'trap':
      return {
        ...noFacts,
        problems: ['the built-in trap'],
        scripts: scriptOf(command, texts[0] === '--' ? 2 : 1),
      };
    case 'eval':
      return {
        ...noFacts,
        problems: ['the built-in eval'],
        scripts: [scriptText(texts[0] === '--' ? args.slice(1) : args)],
      };
    case 'alias':
      return {
        ...noFacts,
        problems: ['the built-in alias'],
        scripts: args.flatMap((word) => {
          const at = word.pattern.indexOf('=');
          return at < 0 ? [] : [scriptText([{ ...word, pattern: word.pattern.slice(at + 1) }])];
        }),
      };
    case 'source':
    case '.':
      return {
        ...noFacts,
        problems: [`the built-in ${name}`],
        reads: args.slice(0, 1).map((word) => ({ word })),
      };
    case 'mapfile':
    case 'readarray':
      return {
        ...noFacts,
        problems: [`the built-in ${name}`],
        scripts: texts.flatMap((text, index) => (text === '-C' ? [scriptText([args[index + 1]])] : [])),
      };
    default:
      return Object.hasOwn(shellState, name) && name !== 'exec'
        ? { ...noFacts, problems: [shellState[name] ?? name] }
        : undefined;
  }
};

const scriptOf = (command: ShellCommand, at: number): readonly ScriptText[] => {
  const word = command.words[at];
  if (!word || /^(-[lp]|-)$/.test(word.pattern)) return [];
  return [scriptText([word])];
};
