import * as z from 'zod';
import { type Line, type ModelServer, type ModelServerOptions, modelServer } from './model-server.ts';
import * as r from './replies.ts';

const BlockForm = z.union([
  z.string().transform((text) => r.say(text)),
  z.strictObject({ say: z.string() }).transform(({ say }) => r.say(say)),
  z.strictObject({ think: z.string() }).transform(({ think }) => r.think(think)),
  z
    .strictObject({
      use: z.string(),
      input: z.record(z.string(), z.unknown()).default({}),
      id: z.string().optional(),
    })
    .transform(({ use, input, id }) => r.use(use, input, id)),
  z
    .strictObject({ use: z.string(), json: z.string(), id: z.string().optional() })
    .transform(({ use, json, id }) => r.useRaw(use, json, id)),
]);

const Blocks = z.union([BlockForm.transform((block) => [block]), z.array(BlockForm)]);

/** Faults are named by their builder and say after how many events, bytes or milliseconds they strike. */
const Message = z
  .strictObject({
    reply: Blocks,
    stop: z.enum(['end_turn', 'tool_use', 'max_tokens', 'stop_sequence', 'pause_turn', 'refusal']).optional(),
    usage: z.record(z.string(), z.number()).optional(),
    perSecond: z.number().positive().optional(),
    chunk: z.int().positive().optional(),
    cutAfterEvents: z.int().optional(),
    cutAfterBytes: z.int().optional(),
    stallAfter: z.int().optional(),
    pingEvery: z.int().optional(),
    sseError: z.string().optional(),
  })
  .transform(
    ({ reply, cutAfterEvents, cutAfterBytes, stallAfter, pingEvery, sseError, ...options }): Line => {
      const message = r.reply(reply, options);
      if (sseError !== undefined) return r.sseError(sseError, message, stallAfter ?? cutAfterEvents ?? 3);
      if (cutAfterEvents !== undefined) return r.cutAfterEvents(message, cutAfterEvents);
      if (cutAfterBytes !== undefined) return r.cutAfterBytes(message, cutAfterBytes);
      if (pingEvery !== undefined) return r.pingForever(message, stallAfter ?? 3, pingEvery);
      return stallAfter === undefined ? message : r.stallAfter(message, stallAfter);
    },
  );

const ReplyForm: z.ZodType<Line> = z.union([
  Blocks,
  Message,
  z
    .strictObject({ status: z.int(), retryAfter: z.number().optional(), message: z.string().optional() })
    .transform(({ status, ...options }) => r.status(status, options)),
  z
    .strictObject({ tokens: z.int().positive(), perSecond: z.number().positive().optional() })
    .transform(({ tokens, perSecond }) => r.tokens(tokens, { perSecond })),
]);

const Full = z.strictObject({
  replies: z.array(ReplyForm).default([]),
  /** One lane per agent, told apart by a part of the system prompt. */
  lanes: z.array(z.strictObject({ system: z.string(), replies: z.array(ReplyForm) })).default([]),
  /** Said to every request that comes after the script has run out. */
  afterwards: ReplyForm.optional(),
});

/** A whole script: an array of replies, or an object with lanes. */
export const ScriptFile = z.union([
  z.array(ReplyForm).transform((replies): z.infer<typeof Full> => ({ replies, lanes: [] })),
  Full,
]);
export type ScriptFile = z.infer<typeof ScriptFile>;

/** Opens a server that plays the script. */
export const serveScript = async (
  script: ScriptFile,
  options: ModelServerOptions = {},
): Promise<ModelServer> => {
  const server = await modelServer(script.replies, options);
  for (const { system, replies } of script.lanes) server.lane(system, ...replies);
  if (script.afterwards) server.always(() => server.remaining() === 0, script.afterwards);
  return server;
};
