import type { Rule } from '../contract/permission.ts';
import { namesTool } from './rule.ts';
import { baseName, type ShellWord, textOf } from './shell-command.ts';
import { plainWords } from './shell-word.ts';
import { ANY, fromStars, hasWildcard, matches, meets } from './wildcard.ts';

/** A Bash rule made ready for matching. */
export interface BashRule {
  readonly rule: Rule;
  /** Absent: every command. */
  readonly patterns?: readonly string[];
  /** True without any wildcard: the person saw the whole command. */
  readonly exact: boolean;
  /** The fixed words of a rule of the form `words *`. */
  readonly words?: readonly string[];
}

export const bashRules = (rules: readonly Rule[], home: string): readonly BashRule[] =>
  rules.filter((rule) => namesTool(rule, 'Bash')).map((rule) => bashRule(rule, home));

const bashRule = (rule: Rule, home: string): BashRule => {
  if (rule.spec === undefined) return { rule, exact: false };
  const spec = rule.spec.replace(/:\*$/, ' *');
  const open = spec.endsWith(' *');
  const head = open ? spec.slice(0, -2) : spec;
  // A rule written with quotes means the words inside them.
  const unquoted = /["'\\]/.test(head) ? plainWords(head, home) : undefined;
  const heads = [fromStars(head), ...(unquoted === undefined ? [] : [unquoted])];
  const patterns = heads.flatMap((text) => (open ? [text, `${text} ${ANY}`] : [text]));
  const plain = fromStars(head);
  return {
    rule,
    patterns,
    exact: !open && !hasWildcard(plain),
    ...(open && !hasWildcard(plain) ? { words: (unquoted ?? plain).split(' ') } : {}),
  };
};

/** Allow: the text as it stands; the name must be one word. */
export const allows = (rule: BashRule, words: readonly ShellWord[]): boolean => {
  if (!rule.patterns) return true;
  const name = words[0]?.pattern ?? '';
  if (/\s/.test(name)) return false;
  const text = textOf(words);
  return rule.patterns.some((pattern) => matches(pattern, text));
};

/**
 * Deny and ask: the command under its bare name too, with options in any place and any bundling, and guesses at
 * variables. `maybe` when only an unknown word stands between the command and the rule.
 */
export const catches = (
  rule: BashRule,
  spellings: readonly (readonly ShellWord[])[],
): 'yes' | 'maybe' | 'no' => {
  const { patterns } = rule;
  if (!patterns) return 'yes';
  const texts = spellings.flatMap((words) =>
    words.length === 0 ? [] : [textOf(words), textOf(bare(words))],
  );
  if (texts.some((text) => patterns.some((pattern) => matches(pattern, text)))) return 'yes';
  // The last spelling is the one without what stands before a subcommand: what follows an option there is known.
  if (rule.words && loosely(rule.words, bare(spellings.at(-1) ?? []))) return 'yes';
  const open = texts.filter(hasWildcard);
  return open.some((text) => patterns.some((pattern) => meets(pattern, text))) ? 'maybe' : 'no';
};

const bare = (words: readonly ShellWord[]): readonly ShellWord[] =>
  words.map((word, index) => (index === 0 ? { ...word, pattern: baseName(word.pattern) } : word));

/** `git reset --hard *` also means `git reset -q --hard HEAD`, and `rm -rf *` also `rm -r -f x`. */
const loosely = (rule: readonly string[], words: readonly ShellWord[]): boolean => {
  const command = words.map(({ pattern }) => pattern);
  if (rule[0] !== command[0]) return false;
  const ended = command.indexOf('--');
  const options = (ended < 0 ? command : command.slice(0, ended))
    .slice(1)
    .filter((text) => text.startsWith('-'));
  const wanted = rule.slice(1).filter((text) => !text.startsWith('-'));
  const needed = rule.slice(1).filter((text) => text.startsWith('-'));
  return inOrder(wanted, command) && needed.every((option) => hasOption(option, options));
};

/** The wanted words in their order; between them only options, and words that may be the value of one. */
const inOrder = (wanted: readonly string[], command: readonly string[]): boolean => {
  let next = 0;
  for (let i = 1; i < command.length && next < wanted.length; i++) {
    const text = command[i] ?? '';
    const before = command[i - 1] ?? '';
    const value = i > 1 && /^-[^=]+$/.test(before) && before !== '--';
    if (text === wanted[next]) next++;
    else if (!text.startsWith('-') && !value) return false;
  }
  return next === wanted.length;
};

const hasOption = (option: string, options: readonly string[]): boolean => {
  if (options.some((text) => text === option || text.startsWith(`${option}=`))) return true;
  if (!/^-[A-Za-z]+$/.test(option)) return false;
  const letters = options.filter((text) => /^-[A-Za-z]+$/.test(text)).join('');
  return [...option.slice(1)].every((letter) => letters.includes(letter));
};
