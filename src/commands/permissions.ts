import type { SlashCommand } from '../contract/command.ts';
import type { Behavior, Judgement, Rule, RuleProblem } from '../contract/permission.ts';
import type { SessionState } from '../contract/state.ts';
import { refused, table, text } from './answer.ts';

/** One call as it was judged. */
export interface Decided {
  readonly tool: string;
  readonly subject: string;
  readonly judgement: Pick<Judgement, 'decision' | 'reason' | 'rule' | 'source'>;
}

export type RulePlace = 'local' | 'project' | 'user';

export interface Rules {
  all(state: SessionState): readonly Rule[];
  problems(): readonly RuleProblem[];
  /** The last decisions, newest first. */
  recent(): readonly Decided[];
  /** Why a text is no rule; undefined when it is one. */
  check(behavior: Behavior, rule: string): string | undefined;
  /** A sentence when refused. */
  add(behavior: Behavior, rule: string, place: RulePlace): Promise<string | undefined>;
  remove(rule: Rule): Promise<string | undefined>;
}

const behaviors: readonly Behavior[] = ['deny', 'ask', 'allow'];
const places: readonly RulePlace[] = ['local', 'project', 'user'];

const whole = (rules: Rules, state: SessionState): string => {
  const all = rules.all(state);
  const byBehavior = behaviors.flatMap((behavior) => {
    const mine = all.filter((rule) => rule.behavior === behavior);
    return mine.length === 0
      ? []
      : [
          `### ${behavior}\n\n${table(
            ['rule', 'from'],
            mine.map((rule) => [`\`${rule.text}\``, whence(rule)]),
          )}`,
        ];
  });
  const problems = rules.problems().map((one) => `- \`${one.text}\`: ${one.problem}`);
  const recent = rules
    .recent()
    .map(({ tool, subject, judgement }) => [
      `${judgement.decision}`,
      `${tool} \`${short(subject)}\``,
      judgement.reason,
    ]);
  return [
    `Mode: ${state.mode}. Deny comes before ask before allow; what no rule decides is asked.`,
    ...(byBehavior.length > 0 ? byBehavior : ['There are no rules yet.']),
    ...(problems.length > 0 ? [`### Wrong\n\n${problems.join('\n')}`] : []),
    ...(recent.length > 0 ? [`### Recent decisions\n\n${table(['', 'call', 'because'], recent)}`] : []),
    '`/permissions allow|ask|deny RULE [local|project|user]` adds a rule, `/permissions remove RULE` takes it away.',
  ].join('\n\n');
};

const short = (words: string): string => (words.length > 60 ? `${words.slice(0, 59)}…` : words);
const whence = (rule: Rule): string => (rule.file ? `${rule.source} (${rule.file})` : rule.source);

/** `/permissions`: rules by source and what they lately decided; adds and removes rules of files. */
export const permissionsCommand = (rules: Rules): SlashCommand => {
  const add = async (behavior: Behavior, words: string) => {
    const last = places.find((one) => words.endsWith(` ${one}`));
    const place = last ?? 'local';
    const rule = (last ? words.slice(0, -last.length - 1) : words).trim();
    if (rule === '') return refused(`Type a rule: /permissions ${behavior} Bash(npm test *)`);
    const wrong = rules.check(behavior, rule);
    if (wrong) return refused(wrong);
    const failed = await rules.add(behavior, rule, place);
    return failed ? refused(failed) : text(`\`${rule}\` is now under ${behavior} in the ${place} settings.`);
  };
  const remove = async (words: string, state: SessionState) => {
    const found = rules.all(state).filter((rule) => rule.text === words.trim());
    if (found.length === 0) return refused(`There is no rule "${words.trim()}".`);
    const failed = (await Promise.all(found.map((rule) => rules.remove(rule)))).filter(
      (one) => one !== undefined,
    );
    return failed.length > 0 ? refused(failed.join(' ')) : text(`\`${words.trim()}\` was removed.`);
  };
  return {
    name: 'permissions',
    aliases: ['allowed-tools'],
    description: 'Permission rules and recent decisions',
    argumentHint: '[allow|ask|deny|remove RULE]',
    source: 'builtin',
    complete: () => [...behaviors, 'remove'],
    async run(args, { session, screen }) {
      const [verb = '', ...rest] = args.trim().split(/\s+/);
      const words = args.trim().slice(verb.length).trim();
      const behavior = behaviors.find((one) => one === verb);
      if (behavior) return add(behavior, words);
      if (verb === 'remove') return remove(words, session.state());
      if (verb !== '')
        return refused(
          `/permissions takes allow, ask, deny or remove, not "${verb}${rest.length > 0 ? ' …' : ''}".`,
        );
      const page = whole(rules, session.state());
      if (!screen.interactive) return text(page);
      await screen.panel('Permissions', page);
      return { kind: 'done' };
    },
  };
};
