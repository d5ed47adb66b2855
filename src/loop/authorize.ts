/** The one permission gate: every call of every agent passes here. Order: ruling 2. */
import type { Answer, AskReason, Question, RuleDestination } from '../contract/ask.ts';
import type { HookVerdict } from '../contract/hook.ts';
import type { CallId } from '../contract/ids.ts';
import type { Judgement } from '../contract/permission.ts';
import type { PreparedCall, ToolContext } from '../contract/tool.ts';
import { errorText } from '../lib/error-text.ts';
import type { Denied, Here } from './deps.ts';

export interface Permitted {
  readonly answer?: Answer;
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  /** A person's remark on a yes: told to the model after the result. */
  readonly comment?: string;
}

export interface Candidate {
  readonly id: CallId;
  readonly tool: string;
  readonly call: PreparedCall;
  readonly ctx: ToolContext;
  /** What PreToolUse hooks said. */
  readonly pre: HookVerdict;
}

/** A hook's deny wins, its ask adds a question, its allow replaces only the final ask (ruling 2). */
const withHooks = (judged: Judgement, pre: HookVerdict, call: PreparedCall): Judgement => {
  if (pre.decision === 'deny')
    return { ...judged, decision: 'deny', reason: pre.reason ?? 'A hook denied this call.' };
  if (judged.decision === 'deny') return judged;
  if (pre.uncertain && !call.readOnly)
    return { ...judged, decision: 'ask', reason: pre.uncertain, suggestions: [] };
  if (pre.decision === 'ask')
    return { ...judged, decision: 'ask', reason: pre.reason ?? 'A hook asks for a decision.' };
  if (pre.decision === 'allow' && judged.decision === 'ask' && !judged.firm)
    return { ...judged, decision: 'allow', reason: pre.reason ?? 'A hook allowed this call.' };
  return judged;
};

const whyOf = (judged: Judgement): AskReason => ({
  reason: judged.reason,
  ...(judged.rule ? { rule: judged.rule } : {}),
  ...(judged.source ? { source: judged.source } : {}),
  trace: judged.trace,
  ...(judged.among ? { among: judged.among } : {}),
  suggestions: judged.suggestions,
});

/** Dispatches PermissionDenied and says what the model reads. */
const deny = async (here: Here, one: Candidate, denied: Denied): Promise<Denied> => {
  const input = one.call.input;
  here.emit({
    type: 'denied',
    call: one.id,
    tool: one.tool,
    input,
    reason: denied.text,
    source: denied.source,
  });
  const verdict = await here.deps.hooks.dispatch(
    'PermissionDenied',
    {
      tool_name: one.tool,
      tool_input: input,
      tool_use_id: one.id,
      reason: denied.text,
      source: denied.source,
    },
    here.scope(one.ctx.signal),
  );
  return verdict.retry
    ? { ...denied, text: `${denied.text} A hook says that you may try this call again.` }
    : denied;
};

/** A rule that could not be saved takes nothing from the yes that was given. */
const remember = async (
  here: Here,
  rules: readonly string[],
  to: Exclude<RuleDestination, 'session'>,
): Promise<void> => {
  try {
    await here.deps.remember(rules, to, here.state());
  } catch (error) {
    const why = errorText(error);
    here.emit({
      type: 'notice',
      level: 'warn',
      text: `The rule ${rules.join(', ')} was not saved: ${why} The call was allowed this once.`,
    });
  }
};

/** A hook that answers the question may also change the rules for later ones (conventions 1, permission updates). */
const update = async (here: Here, updates: readonly unknown[]): Promise<void> => {
  const { entries, problems } = (await here.deps.updatePermissions?.(updates, here.state())) ?? {
    entries: [],
    problems: [],
  };
  for (const entry of entries) await here.record(entry);
  for (const text of problems) here.emit({ type: 'notice', level: 'warn', text });
};

const applyAnswer = async (
  here: Here,
  one: Candidate,
  answer: Answer,
  judged: Judgement,
): Promise<Permitted | Denied> => {
  if (answer.kind === 'permission' && answer.behavior === 'allow') {
    if (answer.remember?.to === 'session') await here.record({ type: 'grant', rules: answer.remember.rules });
    else if (answer.remember) await remember(here, answer.remember.rules, answer.remember.to);
    if (answer.mode) await here.record({ type: 'mode', mode: answer.mode });
    return { updatedInput: answer.updatedInput, comment: answer.comment, answer };
  }
  if (answer.kind === 'permission') {
    const text = answer.comment
      ? `The user refused this call and says: ${answer.comment}`
      : 'The user refused this call. Stop and wait for what they say next.';
    return deny(here, one, {
      text,
      source: 'person',
      interrupt: answer.interrupt ?? answer.comment === undefined,
    });
  }
  if (answer.kind === 'none') {
    if (answer.source === 'interrupt')
      return {
        text: 'Interrupted by the user before this call was allowed; it did not run.',
        source: 'person',
        interrupt: true,
      };
    return deny(here, one, {
      text: `${answer.reason} (${judged.reason})`,
      source: 'headless',
      interrupt: one.call.question !== undefined,
    });
  }
  if (answer.kind === 'plan' && answer.decision === 'keep') {
    const text = answer.feedback
      ? `The user wants to keep planning and says: ${answer.feedback}`
      : 'The user wants to keep planning. Plan mode stays on; wait for what they say next.';
    return deny(here, one, { text, source: 'person', interrupt: answer.feedback === undefined });
  }
  return { answer };
};

/** The question a person sees for this call. */
const questionOf = async (one: Candidate, judged: Judgement): Promise<Question> => {
  const own = await one.call.question?.(one.ctx);
  if (own) return own;
  const display = await one.call.preview?.(one.ctx);
  return {
    kind: 'permission',
    call: one.id,
    tool: one.tool,
    input: one.call.input,
    subject: one.call.subject,
    display,
    why: whyOf(judged),
  };
};

export const isDenied = (value: Permitted | Denied): value is Denied => 'source' in value;

/** Allows, denies, or asks hooks and then the person. */
export const authorize = async (here: Here, one: Candidate): Promise<Permitted | Denied> => {
  const { deps } = here;
  await deps.upToDate?.();
  const judged = withHooks(
    deps.judge(
      { tool: one.tool, input: one.call.input, readOnly: one.call.readOnly, real: one.call.real },
      here.state(),
    ),
    one.pre,
    one.call,
  );
  if (judged.decision === 'deny') {
    const { by } = judged;
    const source = one.pre.decision === 'deny' ? 'hook' : by === 'mode' || by === 'sandbox' ? by : 'rule';
    return deny(here, one, { text: judged.reason, source, interrupt: one.pre.interrupt ?? false });
  }
  if (judged.decision === 'allow' && (!one.call.question || one.pre.decision === 'allow')) return {};
  const verdict = await deps.hooks.dispatch(
    'PermissionRequest',
    {
      tool_name: one.tool,
      tool_input: one.call.input,
      permission_suggestions: judged.suggestions.map(asSuggestion),
    },
    here.scope(one.ctx.signal),
  );
  if (verdict.decision === 'deny')
    return deny(here, one, {
      text: verdict.reason ?? 'A hook denied this call.',
      source: 'hook',
      interrupt: verdict.interrupt ?? false,
    });
  if (verdict.decision === 'allow') {
    if (verdict.permissionUpdates) await update(here, verdict.permissionUpdates);
    return { updatedInput: verdict.updatedInput };
  }
  return applyAnswer(here, one, await here.ask(await questionOf(one, judged), one.ctx.signal), judged);
};

/** `permission_suggestions` in the shape of permission updates (conventions 1). */
const asSuggestion = (rule: string): unknown => {
  const [, toolName, ruleContent] = /^([^(]+)(?:\((.*)\))?$/s.exec(rule) ?? [undefined, rule];
  return {
    type: 'addRules',
    rules: [{ toolName, ...(ruleContent === undefined ? {} : { ruleContent }) }],
    behavior: 'allow',
    destination: 'localSettings',
  };
};
