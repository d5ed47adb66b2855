import * as z from 'zod';

/** What a program that drives a run asks beside its messages (conventions 10). */
export type Control =
  | { readonly subtype: 'initialize' }
  | { readonly subtype: 'interrupt' }
  | { readonly subtype: 'set_permission_mode'; readonly mode: string }
  | { readonly subtype: 'set_model'; readonly model?: string | null }
  | { readonly subtype: 'set_max_thinking_tokens'; readonly max_thinking_tokens: number | null }
  | { readonly subtype: 'mcp_status' };

/** Its answer to what was asked of it. */
export interface Reply {
  readonly id: string;
  readonly response: unknown;
  readonly error?: string;
}

const control = z.discriminatedUnion('subtype', [
  z.looseObject({ subtype: z.literal('initialize') }),
  z.looseObject({ subtype: z.literal('interrupt') }),
  z.looseObject({ subtype: z.literal('set_permission_mode'), mode: z.string() }),
  z.looseObject({ subtype: z.literal('set_model'), model: z.string().nullish() }),
  z.looseObject({
    subtype: z.literal('set_max_thinking_tokens'),
    max_thinking_tokens: z.number().int().min(0).nullable(),
  }),
  z.looseObject({ subtype: z.literal('mcp_status') }),
]);
const request = z.object({
  type: z.literal('control_request'),
  request_id: z.string(),
  request: z.looseObject({ subtype: z.string() }),
});
const response = z.object({
  type: z.literal('control_response'),
  response: z.looseObject({
    subtype: z.string(),
    request_id: z.string(),
    response: z.unknown().optional(),
    error: z.string().optional(),
  }),
});
const verdict = z.union([
  z.looseObject({
    behavior: z.literal('allow'),
    updatedInput: z.record(z.string(), z.unknown()).optional(),
  }),
  z.looseObject({
    behavior: z.literal('deny'),
    message: z.string().optional(),
    interrupt: z.boolean().optional(),
  }),
]);

/** A line that is no message: what is asked, what is answered, what needs no answer; undefined for all others. */
export const readControl = (
  value: unknown,
):
  | { readonly id: string; readonly control: Control }
  | { readonly id: string; readonly refused: string }
  | { readonly reply: Reply }
  | { readonly quiet: true }
  | undefined => {
  const asked = request.safeParse(value);
  if (asked.success) {
    const { request_id: id, request: body } = asked.data;
    const known = control.safeParse(body);
    if (known.success) return { id, control: known.data };
    const [issue] = known.error.issues;
    const named = control.options.some((one) => one.shape.subtype.value === body.subtype);
    return {
      id,
      refused: named
        ? `${body.subtype}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`
        : `There is no control request "${body.subtype}". Known: ${control.options.map((one) => one.shape.subtype.value).join(', ')}.`,
    };
  }
  const answered = response.safeParse(value);
  if (answered.success) {
    const { request_id: id, response: body, error } = answered.data.response;
    return { reply: { id, response: body, error } };
  }
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  return type === 'keep_alive' || type === 'control_cancel_request' ? { quiet: true } : undefined;
};

/** The verdict on a call; what cannot be read is a no. */
export const readVerdict = (reply: Reply): z.infer<typeof verdict> => {
  const read = verdict.safeParse(reply.response);
  if (read.success) return read.data;
  return {
    behavior: 'deny',
    message: reply.error ?? 'The permission prompt gave no verdict that can be read.',
  };
};

export const controlSuccess = (id: string, body: unknown) => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: id, response: body },
});

export const controlError = (id: string, error: string) => ({
  type: 'control_response',
  response: { subtype: 'error', request_id: id, error },
});
