/** What the model of a prompt or agent hook answered: `{ok, reason}`, or a word that plainly says so (ruling 28). */
import * as z from 'zod';
import { type HookEvent, type HookVerdict, noVerdict } from '../contract/hook.ts';
import { refusal } from './verdict.ts';

export type Answer =
  | { readonly ok: true; readonly reason?: string }
  | { readonly ok: false; readonly reason: string; readonly impossible: boolean }
  | { readonly fault: string };

const schema = z.looseObject({
  ok: z.boolean(),
  reason: z.string().nullish(),
  impossible: z.boolean().nullish(),
});

const noReason = 'The hook said no and gave no reason.';

/** The JSON object in a text: the whole of it, the inside of a fence, or what stands between the outer braces. */
const objectIn = (text: string): unknown => {
  const fenced = /```(?:json)?\s*([\s\S]*?)```/.exec(text)?.[1];
  const braces = text.includes('{') ? text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1) : '';
  for (const one of [text, fenced ?? '', braces]) {
    try {
      return JSON.parse(one);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return undefined;
};

export const readAnswer = (raw: string): Answer => {
  const text = raw.trim();
  const parsed = schema.safeParse(objectIn(text));
  if (parsed.success) {
    const reason = parsed.data.reason?.trim() || undefined;
    return parsed.data.ok
      ? { ok: true, reason }
      : { ok: false, reason: reason ?? noReason, impossible: parsed.data.impossible ?? false };
  }
  const no = /^(?:BLOCK|DENY)\b[\s:,.\-–—]*([\s\S]*)$/i.exec(text);
  if (no) return { ok: false, reason: no[1]?.trim() || noReason, impossible: false };
  if (/^(?:ALLOW|APPROVE|OK)\b/i.test(text)) return { ok: true };
  return {
    fault:
      text === ''
        ? 'The model answered nothing; expected {"ok": true} or {"ok": false, "reason": "..."}.'
        : `The model answered prose instead of {"ok": true} or {"ok": false, "reason": "..."}: ${text.slice(0, 200)}`,
  };
};

/**
 * A no of a model, per event. `continueOnBlock` absent: PostToolUse and TeammateIdle end the turn, everything else only
 * says its reason; false ends the turn on PreToolUse too; true never ends it.
 */
export const verdictOf = (
  event: HookEvent,
  payload: Readonly<Record<string, unknown>>,
  answer: Answer,
  by: string,
  continueOnBlock: boolean | undefined,
): HookVerdict => {
  if ('fault' in answer || answer.ok) return noVerdict;
  const ending = event === 'Stop' || event === 'SubagentStop';
  if (ending && answer.impossible)
    return { ...noVerdict, systemMessages: [`${by}: this cannot be done: ${answer.reason}`] };
  const no = refusal(event, payload, answer.reason, by);
  const stops =
    event === 'PostToolUse' || event === 'TeammateIdle'
      ? continueOnBlock !== true
      : event === 'PreToolUse' && continueOnBlock === false;
  return stops ? { ...no, stop: answer.reason } : no;
};
