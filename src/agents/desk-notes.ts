/**
 * What the processes of one team tell each other beside mail. Programs read it, never a model; no tool writes it.
 * Checked when read: another version, or somebody's editor, may have written the line.
 */
import * as z from 'zod';
import type { AskId, CallId, SessionId } from '../contract/ids.ts';
import { modes } from '../contract/mode.ts';

// Ids are strings at this border.
const askId = z.string().transform((id) => id as AskId);
const callId = z.string().transform((id) => id as CallId);
const sessionId = z.string().transform((id) => id as SessionId);

const choice = z.object({ label: z.string(), description: z.string().optional() });
const displayBody = { body: z.string(), summary: z.string().optional() };
const display = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('text'),
    ...displayBody,
    failed: z.boolean().optional(),
    prose: z.boolean().optional(),
  }),
  z.object({ kind: z.literal('markdown'), ...displayBody }),
  z.object({ kind: z.literal('plan'), summary: z.string(), title: z.string(), body: z.string() }),
  z.object({ kind: z.literal('code'), path: z.string(), ...displayBody }),
  z.object({
    kind: z.literal('diff'),
    path: z.string(),
    patch: z.string(),
    added: z.number(),
    removed: z.number(),
    created: z.boolean().optional(),
  }),
]);

/** Typed as it is read, not as the contract says: a kind of the contract that is missing here cannot be posted. */
const question = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('permission'),
    call: callId,
    tool: z.string(),
    input: z.record(z.string(), z.unknown()),
    subject: z.string(),
    display: display.optional(),
    why: z.object({
      reason: z.string(),
      rule: z.string().optional(),
      source: z.string().optional(),
      trace: z.array(z.unknown()).readonly(),
      among: z
        .object({
          mode: z.enum(modes),
          rules: z
            .array(
              z.object({ behavior: z.enum(['allow', 'ask', 'deny']), text: z.string(), source: z.string() }),
            )
            .readonly(),
        })
        .optional(),
      suggestions: z.array(z.string()).readonly(),
    }),
  }),
  z.object({ kind: z.literal('plan'), plan: z.string(), path: z.string(), call: callId }),
  z.object({
    kind: z.literal('choice'),
    questions: z
      .array(
        z.object({
          question: z.string(),
          header: z.string(),
          options: z.array(choice.extend({ preview: z.string().optional() })).readonly(),
          multiSelect: z.boolean(),
          mayBeEmpty: z.boolean().optional(),
        }),
      )
      .readonly(),
    call: callId.optional(),
  }),
  z.object({
    kind: z.literal('confirm'),
    title: z.string(),
    body: z.string(),
    options: z.array(z.object({ value: z.string(), label: z.string() })).readonly(),
  }),
]);

const input = z.record(z.string(), z.unknown());
const answer = z.union([
  z.object({
    kind: z.literal('permission'),
    behavior: z.literal('allow'),
    comment: z.string().optional(),
    updatedInput: input.optional(),
    remember: z
      .object({
        rules: z.array(z.string()).readonly(),
        to: z.enum(['session', 'localSettings', 'projectSettings', 'userSettings']),
      })
      .optional(),
    mode: z.enum(modes).optional(),
  }),
  z.object({
    kind: z.literal('permission'),
    behavior: z.literal('deny'),
    comment: z.string().optional(),
    interrupt: z.boolean().optional(),
  }),
  z.object({
    kind: z.literal('plan'),
    decision: z.enum(['acceptEdits', 'default']),
    plan: z.string().optional(),
  }),
  z.object({ kind: z.literal('plan'), decision: z.literal('keep'), feedback: z.string().optional() }),
  z.object({
    kind: z.literal('choice'),
    answers: z
      .array(
        z.object({
          question: z.string(),
          chosen: z.array(z.string()).readonly(),
          text: z.string().optional(),
        }),
      )
      .readonly(),
  }),
  z.object({ kind: z.literal('confirm'), value: z.string() }),
  z.object({
    kind: z.literal('none'),
    reason: z.string(),
    source: z.enum(['interrupt', 'headless', 'closed']),
  }),
]);

const amounts = z.object({ usd: z.number().optional(), tokens: z.number().optional() });
const limits = z.object({
  maxCostUsd: z.number().optional(),
  maxTokens: z.number().optional(),
  maxMinutes: z.number().optional(),
  maxTurns: z.number().optional(),
});
/** What a budget allows, and what of it is used. */
const account = z.object({ limits, spent: amounts, since: z.number() });
const which = z.enum(['session', 'team']);

const note = z.discriminatedUnion('type', [
  /** A member's process begins: what an earlier one asked is void. */
  z.object({ type: z.literal('began'), session: sessionId }),
  z.object({
    type: z.literal('asked'),
    ask: askId,
    session: sessionId,
    agent: z.string(),
    question,
  }),
  z.object({ type: z.literal('answered'), ask: askId, answer }),
  z.object({ type: z.literal('settled'), ask: askId }),
  /** What binds everybody below the lead (rulings 5 and 31). */
  z.object({
    type: z.literal('lead'),
    /** Nobody sits before it. */
    headless: z.boolean(),
    mode: z.enum(modes),
    grants: z.array(z.string()),
    barred: z.array(z.object({ behavior: z.enum(['deny', 'ask']), rule: z.string() })),
    planScope: z.array(z.string()).optional(),
  }),
  /** The lead's program ends: who works for it elsewhere ends too, and comes back with it. */
  z.object({ type: z.literal('away') }),
  /** Mail waits for a member that does not run. */
  z.object({ type: z.literal('wake'), member: z.string() }),
  /** How the shared budgets stand, from the lead. */
  z.object({ type: z.literal('budgets'), session: account, team: account }),
  z.object({ type: z.literal('spent'), purse: which, use: amounts }),
  /** What a process used of a model, for the one transcript that counts it: its lead's. */
  z.object({
    type: z.literal('used'),
    session: sessionId,
    agent: z.string(),
    model: z.string(),
    usage: z.object({
      input_tokens: z.number(),
      output_tokens: z.number(),
      cache_creation_input_tokens: z.number(),
      cache_read_input_tokens: z.number(),
    }),
  }),
  z.object({ type: z.literal('extended'), purse: which, limits }),
  /** The service asks to wait: epoch milliseconds, and how long that was when it was said. */
  z.object({ type: z.literal('wait'), until: z.number(), ms: z.number() }),
  z.object({ type: z.literal('go') }),
]);
export type DeskNote = z.output<typeof note>;
export type WhichPurse = z.output<typeof which>;

/** Which run of the program wrote it, and in which process. */
const posted = z.object({
  run: z.string(),
  pid: z.number(),
  start: z.string(),
  note,
});
export type Posted = z.output<typeof posted>;
/** With its place in the box. */
export type Heard = Posted & { readonly place: number };

/** Undefined for anything that is not a note of ours. */
export const readNote = (text: string): Posted | undefined => {
  try {
    const found = posted.safeParse(JSON.parse(text));
    return found.success ? found.data : undefined;
  } catch {
    return undefined;
  }
};
