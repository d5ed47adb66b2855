import { type CommandFacts, noFacts, scriptText } from './command-facts.ts';
import { type OptionShape, scanOptions } from './options.ts';
import { quotedTexts } from './quoted-texts.ts';
import { baseName, type ShellCommand } from './shell-command.ts';
import { ANY } from './wildcard.ts';

const shells: ReadonlySet<string> = new Set([
  'sh',
  'bash',
  'dash',
  'ash',
  'ksh',
  'mksh',
  'zsh',
  'rbash',
  'fish',
  'csh',
  'tcsh',
  'yash',
  'posh',
  'oksh',
]);

/** Shells that read POSIX text the way the parser does. */
const parsed: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash', 'rbash']);

const shellShape: OptionShape = { short: 'oO', long: ['--init-file', '--rcfile'], stopAtOperand: true };

/** A shell: its text is a script of its own when it is written right there. */
export const shellFacts = (name: string, command: ShellCommand): CommandFacts | undefined => {
  if (!shells.has(name)) return undefined;
  // `+x` switches an option off and is no operand.
  const args = command.words.slice(1).filter(({ pattern }) => !/^\+[A-Za-z]+$/.test(pattern));
  const { options, operands } = scanOptions(args, shellShape);
  const names = options.map((option) => option.name);
  const odd = names.filter(
    (option) =>
      !/^-[ceuxovfn]$/.test(option) && !/^--(norc|noprofile|posix)$/.test(option) && option !== '-s',
  );
  const hazards = odd.map((option) => `${name} ${option}`);
  if (!parsed.has(name)) hazards.push(`${name} reads its text in its own way`);
  if (names.includes('-c')) {
    return {
      ...noFacts,
      hazards,
      scripts: [scriptText([operands[0]])],
      wrapper: odd.length > 0 || !parsed.has(name) ? 'guard' : 'transparent',
    };
  }
  const file = operands[0];
  if (file && !names.includes('-s')) {
    const fromInput =
      /^\/dev\/(stdin|fd\/)|^\/proc\//.test(file.pattern) || file.kind === 'pipe' || file.pattern === '-';
    return fromInput
      ? { ...noFacts, hazards, ...fedBy(command) }
      : { ...noFacts, hazards, reads: [{ word: file }] };
  }
  return { ...noFacts, hazards, ...fedBy(command) };
};

const fedBy = (command: ShellCommand): Partial<CommandFacts> => {
  if (command.stdin.from === 'text') {
    const { text } = command.stdin;
    return { scripts: [{ text: text ?? ANY, sure: text !== undefined }], wrapper: 'transparent' };
  }
  if (command.stdin.from === 'nothing' && command.words.length === 1)
    return { problems: ['a shell without a script'] };
  return { problems: ['a shell that reads its script from elsewhere'] };
};

/** Options that give program text, per interpreter. */
const interpreters: Readonly<
  Record<
    string,
    { readonly short: string; readonly code: readonly string[]; readonly danger?: readonly string[] }
  >
> = {
  python: { short: 'cmWXQ', code: ['-c'] },
  node: { short: 'eprC', code: ['-e', '-p', '--eval', '--print'] },
  deno: { short: 'e', code: ['-e'] },
  bun: { short: 'e', code: ['-e'] },
  perl: { short: 'eEIMm', code: ['-e', '-E'] },
  ruby: { short: 'erI', code: ['-e'] },
  php: { short: 'rdc', code: ['-r'] },
  lua: { short: 'el', code: ['-e'] },
  Rscript: { short: 'e', code: ['-e'] },
  osascript: { short: 'e', code: ['-e'] },
  tclsh: { short: '', code: [] },
  ipython: { short: 'c', code: ['-c'] },
};

const interpreterOf = (name: string): string | undefined => {
  const plain = name
    .replace(/^(python|perl|ruby|php|lua|node|pypy)[\d.]+$/, '$1')
    .replace(/^(nodejs)$/, 'node')
    .replace(/^pypy$/, 'python');
  return Object.hasOwn(interpreters, plain) ? plain : undefined;
};

/** True for everything that runs program text: no rule is ever proposed for it. */
export const runsCode = (name: string): boolean => {
  const base = baseName(name);
  return shells.has(base) || interpreterOf(base) !== undefined;
};

/** An interpreter of a language that is not analysed: its text only matters where deny or ask rules exist. */
export const interpreterFacts = (name: string, command: ShellCommand): CommandFacts | undefined => {
  const language = interpreterOf(name);
  const shape = language === undefined ? undefined : interpreters[language];
  if (!shape) return undefined;
  const { options, operands } = scanOptions(command.words.slice(1), {
    short: shape.short,
    long: ['--eval', '--print', '--require', '--import', '--loader'],
    stopAtOperand: true,
  });
  const inline = options
    .filter((option) => shape.code.includes(option.name))
    .map(({ value }) => value?.pattern ?? '');
  const file = operands[0];
  const named = inline.length === 0 && file !== undefined && file.pattern !== '-';
  const fed = !named && command.stdin.from === 'text' ? [command.stdin.text ?? '\uE000'] : [];
  const piped =
    !named &&
    inline.length === 0 &&
    !options.some(
      ({ name: option }) => option === '-m' || option === '--version' || option === '-v' || option === '-V',
    ) &&
    command.stdin.from !== 'text';
  const fromPipe = piped && (command.stdin.from === 'pipe' || command.stdin.from === 'file');
  const substituted = named && file.kind === 'pipe';
  return {
    ...noFacts,
    reads:
      named && file.kind === 'fixed' && language !== 'deno' && language !== 'bun' ? [{ word: file }] : [],
    code: [...inline, ...fed],
    hints: [...inline, ...fed].flatMap(quotedTexts),
    mentions: operands.map((word) => ({ word })),
    problems:
      fromPipe || substituted ? [`${name} running a program that comes from another command or file`] : [],
  };
};
