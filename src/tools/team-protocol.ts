/** Structured messages as the model writes them (conventions 5), and what becomes of each. */
import * as z from 'zod';

const requestId = z.string().min(1).max(200);

export const protocolInput = z.discriminatedUnion('type', [
  z.object({ type: z.literal('shutdown_request'), reason: z.string().optional() }),
  z.object({
    type: z.literal('shutdown_response'),
    request_id: requestId,
    approve: z.boolean(),
    reason: z.string().optional(),
  }),
  z.object({
    type: z.literal('plan_approval_request'),
    plan: z.string().min(1),
    plan_file_path: z.string().optional(),
  }),
  z.object({
    type: z.literal('plan_approval_response'),
    request_id: requestId,
    approve: z.boolean(),
    feedback: z.string().optional(),
  }),
]);
export type ProtocolInput = z.output<typeof protocolInput>;

const types = 'shutdown_request, shutdown_response, plan_approval_request, plan_approval_response';

/** Text stays text, unless all of it is one of our objects written as JSON. */
export const readMessage = (
  message: unknown,
): { readonly text: string } | { readonly protocol: ProtocolInput } | { readonly wrong: string } => {
  const given = typeof message === 'string' ? objectIn(message) : message;
  if (given === undefined) return { text: String(message) };
  const parsed = protocolInput.safeParse(given);
  if (parsed.success) return { protocol: parsed.data };
  const named =
    typeof given === 'object' && given !== null && 'type' in given ? String(given.type) : undefined;
  if (named === undefined || !types.split(', ').includes(named))
    return {
      wrong: `A structured message needs a "type", one of ${types}${named === undefined ? '' : `; "${named.slice(0, 60)}" is none`}. For anything else send text.`,
    };
  const [issue] = parsed.error.issues;
  return { wrong: `The ${named} is not right: "${issue?.path.join('.')}" ${issue?.message ?? ''}.` };
};

const objectIn = (text: string): object | undefined => {
  if (!/^\s*\{\s*"type"\s*:/.test(text)) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && protocolInput.safeParse(parsed).success
      ? parsed
      : undefined;
  } catch {
    return undefined;
  }
};

const MOST = 10;

/** 5 to 10 words are asked for: fewer are taken, more are cut with a note, none is an error (ruling 40). */
export const readSummary = (
  summary: string | undefined,
): { readonly summary: string; readonly note?: string } | { readonly wrong: string } => {
  const words = (summary ?? '').trim().split(/\s+/).filter(Boolean);
  if (words.length === 0)
    return {
      wrong: 'A text needs a "summary" of 5 to 10 words: what the recipient and the user see of it first.',
    };
  if (words.length <= MOST) return { summary: words.join(' ') };
  return {
    summary: words.slice(0, MOST).join(' '),
    note: `The summary had ${words.length} words and was cut to ${MOST}.`,
  };
};
