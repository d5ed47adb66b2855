import type { Judgement, Rule } from '../contract/permission.ts';
import { originOf } from './rule.ts';

const from = (rule: Rule | undefined) => (rule ? { rule: rule.text, source: originOf(rule) } : {});

export const denied = (rule: Rule, subject: string): Judgement => {
  const reason = `The rule ${rule.text} forbids ${subject}.`;
  return {
    decision: 'deny',
    by: 'rule',
    reason,
    ...from(rule),
    trace: [{ subject, decision: 'deny', reason, ...from(rule) }],
    suggestions: [],
  };
};

export const planRefusal = (subject: string): Judgement => ({
  decision: 'deny',
  by: 'mode',
  reason: `Plan mode changes nothing, and ${subject} may. Put the step into the plan instead.`,
  trace: [],
  suggestions: [],
});

export const allowed = (reason: string, by: Judgement['by'], subject: string, rule?: Rule): Judgement => ({
  decision: 'allow',
  by,
  reason,
  ...from(rule),
  trace: [{ subject, decision: 'allow', reason, ...from(rule) }],
  suggestions: [],
});

export const asked = (
  reason: string,
  more: {
    readonly subject: string;
    readonly rule?: Rule;
    readonly suggestion?: string;
    readonly firm?: boolean;
    readonly unanalysable?: string;
  },
): Judgement => ({
  decision: 'ask',
  by: more.rule ? 'rule' : more.unanalysable ? 'analysis' : 'default',
  reason,
  ...from(more.rule),
  trace: [{ subject: more.subject, decision: 'ask', reason, ...from(more.rule) }],
  suggestions: more.suggestion ? [more.suggestion] : [],
  ...(more.unanalysable ? { unanalysable: more.unanalysable } : {}),
  ...(more.firm ? { firm: true } : {}),
});

/**
 * Folds what PreToolUse hooks decided into a judgement (ruling 2): a no stands; a wish to ask makes an allowed
 * call ask; a yes replaces only the final ask, never a rule or a guard.
 */
export const withHook = (
  judgement: Judgement,
  hook: { readonly decision?: 'allow' | 'ask' | 'deny'; readonly reason?: string } | undefined,
): Judgement => {
  if (!hook?.decision) return judgement;
  if (hook.decision === 'deny')
    return {
      ...judgement,
      decision: 'deny',
      by: 'hook',
      reason: hook.reason ?? 'A hook refused the call.',
      suggestions: [],
    };
  if (judgement.decision === 'deny') return judgement;
  if (hook.decision === 'ask') {
    return judgement.decision === 'ask'
      ? judgement
      : {
          ...judgement,
          decision: 'ask',
          by: 'hook',
          reason: hook.reason ?? 'A hook wants a person to decide.',
          firm: true,
        };
  }
  if (judgement.decision === 'allow' || judgement.firm) return judgement;
  return {
    ...judgement,
    decision: 'allow',
    by: 'hook',
    reason: hook.reason ?? 'A hook allowed the call.',
    suggestions: [],
  };
};
