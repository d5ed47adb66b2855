import type { Judgement, PermissionWorld, Rule, TraceLine } from '../contract/permission.ts';
import { type Allowance, allowance, ruleSource } from './bash-allowance.ts';
import { type Caught, caught } from './bash-denials.ts';
import { allows, type BashRule, bashRules } from './bash-rules.ts';
import { everyUnit, readScript, type ScriptReading, type Unit } from './bash-units.ts';
import { criticalRemoval } from './critical-removal.ts';
import { pathLaw } from './path-rules.ts';
import { isReadOnlyScript } from './read-only.ts';
import { originOf } from './rule.ts';
import { isFixed, shownText } from './shell-command.ts';
import { bashSuggestions } from './suggest.ts';

/** Judges a Bash text: deny, plan mode, ask, the other modes, allow, the read-only set, ask (ruling 2). */
export const judgeBash = (text: string, world: PermissionWorld): Judgement => {
  const reading = readScript(text, [world.cwd], world.home);
  const paths = pathLaw(world);
  const all = everyUnit(reading.units);
  const rules = {
    deny: rulesOf(world, 'deny'),
    ask: rulesOf(world, 'ask'),
    allow: rulesOf(world, 'allow'),
  };
  const denials = all.flatMap((unit) => caught(unit, 'deny', rules.deny, paths) ?? []);
  const denial = denials.find(({ certain }) => certain) ?? wholeTool(rules.deny, text);
  if (denial) return ruled('deny', denial, `The rule ${denial.rule.text} forbids ${denial.subject}.`);
  if (world.mode === 'plan' && !isReadOnlyScript(reading, world, paths)) {
    const reason = `Plan mode changes nothing, and this command is not proven to only read: ${firstLine(text)}. Put the step into the plan instead.`;
    return {
      decision: 'deny',
      by: 'mode',
      reason,
      trace: [],
      suggestions: [],
      unanalysable: reading.problems[0],
    };
  }
  const questions = all.flatMap((unit) => caught(unit, 'ask', rules.ask, paths) ?? []);
  const question = questions.find(({ certain }) => certain) ?? wholeTool(rules.ask, text);
  if (question)
    return {
      ...ruled('ask', question, `The rule ${question.rule.text} asks about ${question.subject}.`),
      firm: true,
    };

  const problem = standingProblem(reading, rules.allow);
  const maybe = denials[0] ?? questions[0];
  const critical = criticalRemoval(all, paths);
  const guarded = rules.deny.length + rules.ask.length > 0;
  if (world.mode === 'bypassPermissions' && !critical && !maybe && !(problem && guarded)) {
    return {
      decision: 'allow',
      by: 'mode',
      reason: 'The mode bypassPermissions allows it.',
      trace: [],
      suggestions: [],
    };
  }
  const onlyReads = isReadOnlyScript(reading, { ...world, gitReadOnly: true }, paths);
  const law = { rules: rules.allow, paths, onlyReads };
  const answers = reading.units.map((unit): readonly [Unit, Allowance] => [unit, allowance(unit, law)]);
  const open = answers.filter(([, { allowed }]) => !allowed);
  const trace = answers.map(([unit, answer]) => traceLine(unit, answer));
  const stopped =
    critical ??
    (problem && `The command holds ${problem}, which cannot be analysed.`) ??
    (maybe && mayBe(maybe));
  const reason = stopped ?? open[0]?.[1].reason;
  if (reason === undefined) {
    const rule = answers.find(([, answer]) => answer.rule)?.[1].rule;
    const why = answers[0]?.[1].reason ?? 'It runs nothing.';
    return {
      decision: 'allow',
      by: rule ? 'rule' : 'default',
      reason: why,
      rule: rule?.text,
      source: ruleSource(rule),
      trace,
      suggestions: [],
    };
  }
  return {
    decision: 'ask',
    by: problem ? 'analysis' : maybe ? 'rule' : 'default',
    reason,
    rule: maybe?.rule.text,
    source: maybe ? originOf(maybe.rule) : undefined,
    trace,
    suggestions: stopped ? [] : bashSuggestions(open, law),
    unanalysable: problem,
    ...(critical || open.some(([, { firm }]) => firm) ? { firm: true } : {}),
  };
};

/** A rule without wildcards for the one command of a text lifts what its own name made unclear (`source x`). */
const standingProblem = (reading: ScriptReading, rules: readonly BashRule[]): string | undefined => {
  const [only, ...more] = reading.units;
  const words = only?.command.words ?? [];
  const lifted =
    only &&
    more.length === 0 &&
    words.every(isFixed) &&
    rules.some((rule) => rule.exact && allows(rule, words));
  return reading.problems.find((problem) => !(lifted && only.facts.problems?.includes(problem)));
};

const rulesOf = (world: PermissionWorld, behavior: Rule['behavior']): readonly BashRule[] =>
  bashRules(
    world.rules.filter((rule) => rule.behavior === behavior),
    world.home,
  );

/** A rule for all of Bash holds for a text in which no command was understood too. */
const wholeTool = (rules: readonly BashRule[], text: string): Caught | undefined => {
  const whole = rules.find(({ patterns }) => patterns === undefined);
  return whole && { rule: whole.rule, certain: true, subject: firstLine(text) };
};

const firstLine = (text: string): string => {
  const line = text.trim().split('\n')[0] ?? '';
  return line.length > 120 ? `${line.slice(0, 120)}...` : line;
};

const ruled = (decision: 'deny' | 'ask', { rule, subject }: Caught, reason: string): Judgement => {
  const from = { rule: rule.text, source: originOf(rule) };
  return {
    decision,
    by: 'rule',
    reason,
    ...from,
    trace: [{ subject, decision, reason, ...from }],
    suggestions: [],
  };
};

const mayBe = ({ rule, subject }: Caught): string =>
  `The rule ${rule.text} may be about ${subject}: what exactly it touches is not known before it runs.`;

const traceLine = (unit: Unit, answer: Allowance): TraceLine => ({
  subject: shownText(unit.command.words) || 'redirection or assignment',
  decision: answer.allowed ? 'allow' : 'ask',
  reason: answer.reason,
  rule: answer.rule?.text,
  source: ruleSource(answer.rule),
});
