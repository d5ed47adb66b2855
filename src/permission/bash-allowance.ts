import type { Rule } from '../contract/permission.ts';
import { allows, type BashRule } from './bash-rules.ts';
import type { Unit } from './bash-units.ts';
import type { PathUse } from './command-facts.ts';
import {
  climbsAfterWildcard,
  fixedFolder,
  guarded,
  inside,
  isRoot,
  type PathLaw,
  pathRule,
  shownAccess,
  type Use,
} from './path-rules.ts';
import { originOf } from './rule.ts';
import { isFixed, type ShellRedirect, type ShellWord, shownText } from './shell-command.ts';
import { harmlessVariable } from './shell-variables.ts';
import { hasWildcard } from './wildcard.ts';

/** Whether one command needs no question, and why. */
export interface Allowance {
  readonly allowed: boolean;
  readonly reason: string;
  readonly rule?: Rule;
  /** No rule covers it, and nothing else stands against it: a narrow rule would do. */
  readonly unmatched?: boolean;
  /** A file that a rule for files would have to cover. */
  readonly file?: { readonly path: string; readonly use: Use };
  /** Only a person's yes lifts it. */
  readonly firm?: boolean;
}

export interface AllowLaw {
  readonly rules: readonly BashRule[];
  readonly paths: PathLaw;
  /** The whole text only reads. Git's programs are switched off for a whole text, never for a part of one. */
  readonly onlyReads: boolean;
}

const no = (reason: string, more: Partial<Allowance> = {}): Allowance => ({
  allowed: false,
  reason,
  ...more,
});
const yes = (reason: string, rule?: Rule): Allowance => ({ allowed: true, reason, rule });

/** Judges one command and what it runs. Deny and ask rules have been looked at before. */
export const allowance = (unit: Unit, law: AllowLaw): Allowance => {
  const { command, facts } = unit;
  const place = standing(unit, law);
  if (place) return place;
  for (const { name, value, plain } of command.assigns) {
    if (!plain || !harmlessVariable(name) || !isFixed(value))
      return no(`${name} is set, and may change what runs.`);
  }
  for (const redirect of command.redirects) {
    const refused = redirection(redirect, unit, law);
    if (refused) return refused;
  }
  if (command.words.length === 0) return yes('It runs nothing.');
  const subject = shownText(command.words);
  const exact = command.words.every(isFixed)
    ? law.rules.find((rule) => rule.exact && allows(rule, command.words))
    : undefined;
  if (exact) return yes(`The rule ${exact.rule.text} allows it.`, exact.rule);
  if (facts.wrapper === 'transparent' && facts.hazards.length === 0 && unit.children.length > 0)
    return carried(unit, law);
  if (facts.wrapper) return no(`${subject} runs another command in a way that no pattern can cover.`);
  const matched = law.rules.find(
    (rule) =>
      allows(rule, command.words) || (facts.plainWords !== undefined && allows(rule, facts.plainWords)),
  );
  const mode = law.paths.world.mode === 'acceptEdits' && facts.editor === true;
  const quietable = facts.gitReadOnly === true && law.paths.world.gitReadOnly;
  const builtIn = facts.readOnly === true || (quietable && law.onlyReads);
  const inPlace =
    facts.editor === true &&
    facts.hazards.length === 1 &&
    facts.writes.length > 0 &&
    /in place/.test(facts.hazards[0] ?? '');
  if (facts.hazards.length > 0 && !inPlace) return no(`${subject}: ${facts.hazards[0]}.`);
  if (unit.children.length > 0) {
    const inner = unit.children.map((child) => allowance(child, law)).find(({ allowed }) => !allowed);
    if (inner) return inner;
  }
  if (!matched && !builtIn && !mode && !inPlace)
    return no(
      quietable
        ? `${subject} needs no question only where the whole command just reads.`
        : `No rule allows ${subject}.`,
      { unmatched: true },
    );
  const unclear = unclearWord(unit, matched !== undefined);
  if (unclear) return no(`${unclear.raw} in ${subject} is not known before it runs.`);
  const file = files(unit, law, { rule: matched !== undefined && facts.writer === true, mode });
  if (file) return file;
  if (matched) return yes(`The rule ${matched.rule.text} allows it.`, matched.rule);
  if (builtIn) return yes('It only reads.');
  return yes(
    mode ? 'The mode acceptEdits allows changes inside the workspace.' : 'The files it edits are allowed.',
  );
};

/** Outside the workspace nothing is allowed by itself. */
const standing = ({ command }: Unit, law: AllowLaw): Allowance | undefined => {
  if (!command.cwds) return no('The directory it runs in is not known before it runs.');
  for (const cwd of command.cwds) {
    const access = law.paths.resolve('.', cwd);
    if (!access || !inside(law.paths, access))
      return no(`It runs in ${access ? shownAccess(access) : cwd}, outside the workspace.`);
  }
  return undefined;
};

const carried = (unit: Unit, law: AllowLaw): Allowance => {
  if (unit.command.words[0]?.pattern.includes('/'))
    return no(`${shownText(unit.command.words)} names a program by its path.`);
  const read = files(unit, law, { rule: false, mode: false });
  if (read) return read;
  const answers = unit.children.map((child) => allowance(child, law));
  return answers.find(({ allowed }) => !allowed) ?? answers[0] ?? no('It runs nothing that is known.');
};

/** The first word whose text is not known and could do harm. */
const unclearWord = ({ command, facts }: Unit, matched: boolean): ShellWord | undefined =>
  command.words.slice(1).find((word) => {
    if (word.kind === 'fixed' || word.kind === 'pipe' || facts.tolerant) return false;
    if (word.kind === 'dynamic')
      return !(matched && facts.globSafe && command.stdin.from === 'nothing' && word.raw === '...');
    const lead = word.pattern[0] ?? '';
    const led = !hasWildcard(lead) && lead !== '-';
    return !(facts.globSafe || (led && facts.writes.length === 0 && facts.writer !== true));
  });

const free = /^\/dev\/(null|stdin|stdout|stderr)$/;

const redirection = (
  { operator, target }: ShellRedirect,
  unit: Unit,
  law: AllowLaw,
): Allowance | undefined => {
  if (/^[<>]&$/.test(operator) && isFixed(target) && /^(\d+-?|-)$/.test(target.pattern)) return undefined;
  if (!isFixed(target)) return no(`The target of ${operator} ${target.raw} is not known before it runs.`);
  if (free.test(target.pattern)) return undefined;
  if (/^\/dev\/(tcp|udp)\//.test(target.pattern)) return no(`${target.pattern} opens a network connection.`);
  const use: Use = operator === '<' ? 'read' : 'write';
  return fileAllowance({ word: target }, use, unit, law, {
    rule: false,
    mode: law.paths.world.mode === 'acceptEdits',
  });
};

interface Cover {
  /** A rule for a command whose purpose is writing. */
  readonly rule: boolean;
  /** acceptEdits. */
  readonly mode: boolean;
}

const files = (unit: Unit, law: AllowLaw, cover: Cover): Allowance | undefined => {
  for (const use of unit.facts.reads) {
    const refused = fileAllowance(use, 'read', unit, law, cover);
    if (refused) return refused;
  }
  for (const use of unit.facts.writes) {
    const refused = fileAllowance(use, 'write', unit, law, cover);
    if (refused) return refused;
  }
  return undefined;
};

/** Undefined when the use of the file needs no question. */
const fileAllowance = (
  use: PathUse,
  how: Use,
  unit: Unit,
  law: AllowLaw,
  cover: Cover,
): Allowance | undefined => {
  const { word } = use;
  const verb = how === 'read' ? 'read' : 'changed';
  if (word.kind === 'pipe' || word.pattern === '' || free.test(word.pattern)) return undefined;
  if (word.kind === 'dynamic') {
    return unit.facts.tolerant || (word.raw === '...' && how === 'read')
      ? undefined
      : no(`Which file ${word.raw} means is not known before it runs.`);
  }
  if (hasWildcard(word.pattern) && (how === 'write' || climbsAfterWildcard(word.pattern)))
    return no(`Which files ${word.raw} means is not known before it runs.`);
  for (const cwd of unit.command.cwds ?? []) {
    const access = law.paths.resolve(
      hasWildcard(word.pattern) ? fixedFolder(word.pattern) : word.pattern,
      cwd,
    );
    if (!access) return no(`The path ${word.raw} holds a control character.`);
    if (how === 'read') {
      if (inside(law.paths, access) || pathRule(law.paths, 'allow', 'read', access, { specOnly: false }))
        continue;
      return no(`${shownAccess(access)} lies outside the workspace.`, {
        file: { path: access.lexical, use: how },
      });
    }
    const name = guarded(law.paths, access);
    if (name) return no(`${shownAccess(access)} is protected: ${name} can run code later.`, { firm: true });
    const rule = pathRule(law.paths, 'allow', 'write', access);
    if (isRoot(law.paths, access) && !use.folder)
      return no(`${shownAccess(access)} is the workspace itself.`, { firm: true });
    if (rule) continue;
    if (!inside(law.paths, access))
      return no(`${shownAccess(access)} lies outside the workspace and would be ${verb}.`, {
        file: { path: access.lexical, use: how },
      });
    if (!cover.rule && !cover.mode)
      return no(`No rule allows ${shownAccess(access)} to be ${verb}.`, {
        file: { path: access.lexical, use: how },
      });
  }
  return undefined;
};

export const ruleSource = (rule: Rule | undefined): string | undefined => (rule ? originOf(rule) : undefined);
