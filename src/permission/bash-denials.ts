import type { Behavior, Rule } from '../contract/permission.ts';
import type { BashRule } from './bash-rules.ts';
import { catches } from './bash-rules.ts';
import type { Unit } from './bash-units.ts';
import type { PathUse } from './command-facts.ts';
import { deniedBelow, deniedByGlob, type PathLaw, pathRule, type Use } from './path-rules.ts';
import { namesRead, namesWrite } from './rule.ts';
import { shownText } from './shell-command.ts';
import { hasWildcard } from './wildcard.ts';

/** A deny or ask rule that met a command, or may meet it once its unknown parts are known. */
export interface Caught {
  readonly rule: Rule;
  readonly certain: boolean;
  readonly subject: string;
}

/** What deny (or ask) rules say to one command: its words in every spelling, its files, its redirections. */
export const caught = (
  unit: Unit,
  behavior: Exclude<Behavior, 'allow'>,
  rules: readonly BashRule[],
  law: PathLaw,
): Caught | undefined => {
  const subject = shownText(unit.command.words) || 'redirection';
  const found: Caught[] = [];
  if (unit.command.words.length > 0) {
    const spellings = [unit.command.words, ...(unit.facts.plainWords ? [unit.facts.plainWords] : [])];
    for (const rule of rules) {
      const answer = catches(rule, spellings);
      if (answer !== 'no') found.push({ rule: rule.rule, certain: answer === 'yes', subject });
    }
  }
  const note = (use: PathUse, how: Use, weaker = false) => {
    const answer = caughtPath(use, how, behavior, unit, law);
    if (answer)
      found.push({ ...answer, certain: answer.certain && !weaker, subject: `${subject}: ${use.word.raw}` });
  };
  for (const use of unit.facts.reads) note(use, 'read');
  for (const use of unit.facts.writes) note(use, 'write');
  for (const use of unit.facts.mentions ?? []) note(use, 'read', true);
  for (const { operator, target } of unit.command.redirects) {
    if (/^[<>]&$/.test(operator) && /^(\d+-?|-)$/.test(target.pattern)) continue;
    note({ word: target }, operator === '<' ? 'read' : 'write');
    if (operator === '<>') note({ word: target }, 'read');
  }
  const code = caughtCode(unit, behavior, rules, law);
  if (code) found.push({ ...code, subject });
  return found.find(({ certain }) => certain) ?? found[0];
};

const caughtPath = (
  { word, deep, hidden }: PathUse,
  how: Use,
  behavior: Exclude<Behavior, 'allow'>,
  unit: Unit,
  law: PathLaw,
): { readonly rule: Rule; readonly certain: boolean } | undefined => {
  if (word.kind === 'pipe' || word.pattern === '') return undefined;
  if (word.pattern === '\uE000') return unit.facts.tolerant ? undefined : anyFile(how, behavior, law);
  const { command } = unit;
  for (const cwd of command.cwds ?? [law.world.cwd, law.world.project]) {
    if (hasWildcard(word.pattern)) {
      const glob = deniedByGlob(law, how, word.pattern, cwd, behavior);
      if (glob) return { rule: glob.rule, certain: glob.certain && word.kind === 'glob' };
      continue;
    }
    const access = law.resolve(word.pattern, cwd);
    if (!access) continue;
    const rule = pathRule(law, behavior, how, access, { deep });
    if (rule) return { rule, certain: command.cwds !== undefined };
    const below = deep && behavior === 'deny' ? deniedBelow(law, access, hidden !== false) : undefined;
    if (below) return { rule: below, certain: false };
  }
  return undefined;
};

/** A name that is not known may be a forbidden one. */
const anyFile = (how: Use, behavior: Exclude<Behavior, 'allow'>, law: PathLaw) => {
  const rule = law.world.rules.find(
    (candidate) =>
      candidate.behavior === behavior && (namesRead(candidate) || (how === 'write' && namesWrite(candidate))),
  );
  return rule && { rule, certain: false };
};

const spawning =
  /system|popen|subprocess|exec|spawn|fork|eval|compile|import\s*\(|__import__|getattr|require|child_process|process\.binding|`|\bopen\s*\(?\s*['"]?\|?|%x|qx|IO\.|Kernel|shell|Deno|Bun\.|\uE000/i;
const opening = /open|read|cat|file|path|fs|glob|slurp|load|\uE000/i;

/** Program text in another language cannot be judged: where rules forbid something, it asks if it could do that. */
const caughtCode = (
  unit: Unit,
  behavior: Exclude<Behavior, 'allow'>,
  rules: readonly BashRule[],
  law: PathLaw,
) => {
  if (behavior !== 'deny' || !unit.facts.code?.length) return undefined;
  const text = unit.facts.code.join('\n');
  const commandRule = rules[0];
  if (commandRule && spawning.test(text)) return { rule: commandRule.rule, certain: false };
  const fileRule = law.world.rules.find(
    (rule) => rule.behavior === 'deny' && ['Read', 'Edit', 'Write'].includes(rule.tool),
  );
  return fileRule && opening.test(text) ? { rule: fileRule, certain: false } : undefined;
};
